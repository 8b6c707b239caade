/* Writes the reports that a command line asks for. */
#ifndef ITRACE_CLI_REPORT_WRITER_H
#define ITRACE_CLI_REPORT_WRITER_H

#include <stdio.h>

#include "cli/model_set.h"
#include "cli/options/options.h"
#include "profile/profile.h"
#include "report/multi_process.h"
#include "source/source.h"

struct report_writer {
	const struct options *options;
	struct report_options report; /* fitted to the terminal */
	struct model_set models;
	FILE *standard; /* borrowed: where reports go without --output */

	/* The reports on all processes, if --follow sends them to one place. */
	struct multi_process processes;
	FILE *gathered; /* writes to `text`; NULL: no report so far */
	char *text;	/* [n_bytes] */
	size_t n_bytes;
};

/* Loads the models, and checks before a long run that the output can be written. Call report_writer_deinit also after
 * an error. */
bool report_writer_init(struct report_writer *writer, const struct options *options, FILE *standard, struct error *err);
void report_writer_deinit(struct report_writer *writer);

/* Returns true if the report needs call trees, or transfers of control. */
bool report_writer_wants_calls(const struct report_writer *writer);
bool report_writer_wants_edges(const struct report_writer *writer);

/* Writes the report on one process. False after printing what failed. */
bool report_writer_write(struct report_writer *writer, const struct profile *profile);

/* Writes the gathered reports. False after printing what failed. */
bool report_writer_end(struct report_writer *writer);

#endif
