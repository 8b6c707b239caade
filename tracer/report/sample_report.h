/* Writes what sampling a program gave, for people (text) or for tools (JSON, CSV).
 *
 * Pure functions of their arguments, as those of report.h.
 */
#ifndef ITRACE_REPORT_SAMPLE_REPORT_H
#define ITRACE_REPORT_SAMPLE_REPORT_H

#include <stdio.h>

#include "profile/sampling.h"
#include "report/report.h"

struct sample_report {
	const struct sampling *sampling;
	const struct sample_table *table;
	const struct sample_threads *threads; /* or NULL: not wanted */
	const struct sample_verdict *verdict;
	const struct sample_check *check; /* or NULL: not wanted */
};

/* Uses format, top, width and color of the options. JSON is described by sample.schema.json. CSV is the check where
 * there is one, else the table. The caller checks `out` for write errors. */
void report_write_samples(FILE *out, const struct sample_report *report, const struct report_options *options);

/* The formats behind it; private to report/. */
void sample_report_write_text(FILE *out, const struct sample_report *report, const struct report_options *options);
void sample_report_write_json(FILE *out, const struct sample_report *report);
void sample_report_write_csv(FILE *out, const struct sample_report *report);

#endif
