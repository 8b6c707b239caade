/* The parts of a model in memory. Private to costmodels/. */
#ifndef ITRACE_COSTMODELS_MODEL_MODEL_PRIVATE_H
#define ITRACE_COSTMODELS_MODEL_MODEL_PRIVATE_H

#include "costmodels/model/form_table.h"
#include "costmodels/model/model.h"
#include "costmodels/model/model_header.h"
#include "costmodels/model/opcode_map.h"
#include "costmodels/model/text_file.h"

struct model_parameter {
	const char *key, *value;
	const struct text_file *file; /* file that states it */
};

struct model {
	struct text_file file; /* owns all strings, except those of the map and of the parent */
	char *path;
	struct model *parent; /* owns inherited strings; its tables are merged into those of this model */
	struct model_header header;
	char *source;				   /* includes the parent's source */
	char *note;				   /* NULL: no note */
	char *map_path;				   /* NULL: no map */
	const struct model_form_check *form_check; /* NULL: any form may have a row */
	struct model_parameter *parameters;
	size_t n_parameters, parameters_capacity;
	bool has_forms, has_opcodes; /* exactly one is true */
	struct form_table forms;
	struct opcode_map opcodes;
};

/* Maximum number of files in a chain of `inherit`. */
#define MODEL_MAX_INHERITANCE 8

/* Reads a file by its path. Returns NULL on failure. */
struct model *model_read(const char *path, struct error *err);

/* Converts a figure in thousandths of the model's unit to milli-cycles. Returns false if it is too large. */
bool model_figure_mcyc(const struct model *model, int64_t milli, mcyc_t *out);

#endif
