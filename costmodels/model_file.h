/* The content of a .cost file, and the struct model that the rest of this folder reads. Private to costmodels/. */
#ifndef ITRACE_COSTMODELS_MODEL_FILE_H
#define ITRACE_COSTMODELS_MODEL_FILE_H

#include "costmodels/form_table.h"
#include "costmodels/model.h"
#include "costmodels/opcode_map.h"
#include "costmodels/text_file.h"

/* What stands before the first section. Strings are "" when not stated. */
struct model_header {
	const char *name, *aliases, *title, *vendor, *year_text, *clock_mhz, *cycle_ns, *rank_text, *estimator_text,
		*source, *map;
	int year;	   /* 0: not stated */
	int64_t clock_khz; /* 0: not stated, as the next; at most one of them is stated */
	int64_t cycle_ps;
	enum cost_column rank;
	enum model_estimator estimator;
};

struct model_parameter {
	const char *key, *value;
};

struct model {
	struct text_file file; /* all strings point into it, those of `opcodes` also into its map's file */
	char *path;
	struct model_header header;
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

#endif
