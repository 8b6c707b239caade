/* Writes the result of sampling a program, for people (text) or for tools (JSON, CSV). The output depends on the
 * arguments only. */
#ifndef ITRACE_REPORT_SAMPLES_H
#define ITRACE_REPORT_SAMPLES_H

#include <stdio.h>

#include "profile/sampling.h"
#include "report/options.h"

struct sample_report {
	const struct sampling *sampling;
	const struct sample_table *table;
	const struct sample_threads *threads; /* NULL: not requested */
	const struct sample_verdict *verdict;
	const struct sample_check *check; /* NULL: not requested */
};

/* Returns part / whole; 0 if the whole is 0. */
double report_sample_share(uint64_t part, uint64_t whole);

/* "good", "doubtful" or "bad". */
const char *report_trust_name(enum trust trust);

/* Uses format, top, width and color of the options. sample.schema.json describes the JSON. The CSV is the check if
 * there is one, else the table. The caller checks `out` for write errors. */
void report_write_samples(FILE *out, const struct sample_report *samples, const struct report_options *options);

#endif
