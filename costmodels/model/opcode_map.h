/* The [opcodes] of a .cost file (cycles of another machine's instructions) and the map from forms to sequences of
 * them (data/FORMAT.md, "Maps"). Private to costmodels/. */
#ifndef ITRACE_COSTMODELS_MODEL_OPCODE_MAP_H
#define ITRACE_COSTMODELS_MODEL_OPCODE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "costmodels/model/cost.h"
#include "costmodels/model/text_file.h"
#include "costmodels/model/text_index.h"

struct model;

struct opcode_row {
	const char *mnemonic; /* "": not an instruction */
	const char *like;     /* mnemonic of the opcode that gives the figure; NULL: the row has its own */
	uint16_t opcode;
	int32_t milli;		      /* thousandths of the model's unit; 0: unknown */
	bool is_approximate;	      /* the figure was not measured */
	const struct text_file *file; /* file and line of the row */
	uint32_t line;
};

#define MAP_MAX_TERMS 8
#define MAP_N_WIDTHS 4 /* vectors of 64, 128, 256 and 512 bits */

/* One term of a sequence with its figure. */
struct map_term {
	const char *mnemonic; /* of an opcode; NULL: a parameter or memory access, which map_row.via omits */
	uint32_t count;	      /* 0: the number of elements of element_bits in the form's operand */
	uint32_t element_bits;
	bool is_per_longword; /* multiplied by the longwords of the form's memory operand */
	bool is_unknown;      /* an opcode without a figure */
	bool is_approximate;  /* an opcode whose figure was not measured */
	int64_t mcyc;
};

struct map_terms {
	struct map_term terms[MAP_MAX_TERMS];
	size_t n_terms;
};

struct map_row {
	struct map_terms sequence, per_iteration;
	bool is_approximate;
	char *via[MAP_N_WIDTHS]; /* text of the opcodes, by vector width; only [0] if the text does not depend on it */
	const char *reason;
	unsigned line;
};

/* A pattern of a row, as in text_matches(). */
struct map_pattern {
	const char *text;
	uint32_t row, line;
};

struct opcode_map {
	struct opcode_row *opcodes; /* in the order of the file */
	size_t n_opcodes, opcodes_capacity;
	struct text_index by_mnemonic; /* index in opcodes */
	struct map_row *rows;
	size_t n_rows, rows_capacity;
	struct map_pattern *patterns; /* in the order of the file */
	size_t n_patterns, patterns_capacity;
	struct text_index by_pattern; /* index in patterns */
	struct text_file file;	      /* the map's file; patterns and reasons point into it */
	char *path;
};

void opcode_map_deinit(struct opcode_map *map);

/* Adds the opcode row in the file's current line, or replaces a row of an inherited file. Modifies the line and keeps
 * references to it. */
bool opcode_map_add_opcode(struct opcode_map *map, const struct text_file *file, char *line, struct error *err);

/* Sets the figure of each opcode with `like`. Call it when all opcodes are read. */
bool opcode_map_resolve(struct opcode_map *map, struct error *err);

/* Returns the number of opcodes with a figure. */
size_t opcode_map_n_figures(const struct opcode_map *map);

/* Reads the map of `model`. The opcodes and parameters of the model must be complete. Errors name file and line. */
bool opcode_map_read(struct opcode_map *map, const char *path, const struct model *model, struct error *err);

/* Returns the count of a term for an operand of a width in bits; 0: the operand is smaller than one element. */
uint64_t map_term_count(const struct map_term *term, unsigned width);

/* Looks up a form (model_lookup). */
void opcode_map_lookup(const struct opcode_map *map, const char *form_text, struct cost *out);

#endif
