/* The content of a .cost file, and the struct model that the rest of this folder reads. Private to costmodels/. */
#ifndef ITRACE_COSTMODELS_MODEL_FILE_H
#define ITRACE_COSTMODELS_MODEL_FILE_H

#include "costmodels/form_table.h"
#include "costmodels/model.h"
#include "costmodels/opcode_map.h"
#include "costmodels/text_file.h"

/* How many files may stand in a chain of `inherit`. */
#define MODEL_MAX_INHERITANCE 8

/* What stands before the first section. Strings are "" when not stated. */
struct model_header {
	const char *name, *aliases, *stands_in, *inherit, *title, *vendor, *year_text, *clock_mhz, *cycle_ns, *unit,
		*rank_text, *estimator_text, *source, *note, *map;
	unsigned inherit_line;
	int year;	   /* 0: not stated */
	int64_t clock_khz; /* 0: not stated, as the next; at most one of them is stated */
	int64_t cycle_ps;
	enum cost_column rank;
	enum model_estimator estimator;
	bool is_us; /* figures of [opcodes] and of the map's parameters are microseconds */
};

struct model_parameter {
	const char *key, *value;
	const struct text_file *file; /* where it stands */
};

struct model {
	struct text_file file; /* all strings point into it, those of `opcodes` also into its map's file */
	char *path;
	struct model *parent; /* what it inherited from, for the strings; its tables have become part of this model's */
	struct model_header header;
	char *source;	/* with the parent's */
	char *note;	/* NULL: nothing to be said */
	char *map_path; /* NULL: no map */
	struct model_parameter *parameters;
	size_t n_parameters, parameters_capacity;
	bool has_forms, has_opcodes; /* which section the file has: one of them */
	struct form_table forms;
	struct opcode_map opcodes;
};

/* Reads a file by its path; NULL on failure. */
struct model *model_read(const char *path, struct error *err);

/* Reads only what stands before the first section: enough to know its name and aliases. The strings live as long as
 * *file, which the caller closes. */
bool model_read_header(const char *path, struct text_file *file, struct model_header *out, struct error *err);

/* A figure in thousandths of the model's unit, in milli-cycles; false if it is too large. */
bool model_figure_mcyc(const struct model *model, int64_t milli, mcyc_t *out);

/* Whether a list of names, separated by commas, has this one. */
bool model_names_have(const char *names, const char *name);

#endif
