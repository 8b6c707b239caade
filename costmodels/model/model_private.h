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

/* A figure in thousandths of the model's unit, in milli-cycles; false if it is too large. */
bool model_figure_mcyc(const struct model *model, int64_t milli, mcyc_t *out);

#endif
