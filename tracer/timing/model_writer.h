/* Writes the measurements as a cost model (costmodels/data/FORMAT.md) that inherits another one. */
#ifndef ITRACE_TIMING_MODEL_WRITER_H
#define ITRACE_TIMING_MODEL_WRITER_H

#include <stdio.h>

#include "costmodels/model/model.h"
#include "timing/survey.h"

/* A line of [parameters]. */
struct measured_parameter {
	char key[40], value[40];
	char comment[120]; /* how it was measured, and its spread */
};

struct measured_model {
	const char *name;	    /* of the file, without folder and suffix */
	const char *inherited_name; /* the installed model of this CPU */
	const struct model *inherited;
	const struct survey *survey;
	const struct measured_parameter *parameters; /* [n_parameters] */
	size_t n_parameters;
	const char *cpu; /* "AMD EPYC" */
	uint32_t clock_mhz;
	const char *const *conditions; /* [n_conditions]: lines of comments */
	size_t n_conditions;
};

/* Returns the number of rows. Write errors are left in ferror(out). */
size_t model_writer_write(FILE *out, const struct measured_model *model);

#endif
