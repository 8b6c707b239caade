/* The models and the output that a command line asks for, and the report written with them. */
#ifndef ITRACE_CLI_TRACING_REPORTING_H
#define ITRACE_CLI_TRACING_REPORTING_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options/options.h"
#include "costmodels/model/model.h"
#include "profile/profile.h"
#include "report/multi_process.h"

struct reporting {
	struct options *options;
	struct model **models; /* [n_models] */
	size_t n_models, models_capacity;
	FILE *standard; /* borrowed: where the report goes without --output */

	/* With --follow, of the processes whose reports go to one place: what is to be written there. */
	struct multi_process processes;
	FILE *gathered; /* NULL: none so far */
	char *text;
	size_t n_bytes;
};

/* Loads the models and opens the output. reporting_deinit is due whatever the result. */
bool reporting_init(struct reporting *reporting, struct options *options, FILE *standard, struct error *err);
void reporting_deinit(struct reporting *reporting);

/* A model's estimator follows transfers of control. */
bool reporting_wants_edges(const struct reporting *reporting);

/* False after saying what failed. Where processes are followed into one output, reporting_end writes it. */
bool reporting_write(struct reporting *reporting, const struct profile *profile);
bool reporting_end(struct reporting *reporting);

#endif
