/* The reports on several processes of one run, one after the other: text with a heading for each and the sums at the end, one JSON
 * array, one CSV table with a column for the process before the others. */
#ifndef ITRACE_REPORT_SERIES_H
#define ITRACE_REPORT_SERIES_H

#include "report/report.h"

struct report_series_sum {
	char *region;
	uint64_t visits, instructions, n_processes;
};

struct report_series { /* zeroed at first */
	size_t n_reports;
	struct report_series_sum *sums; /* in the order in which they occurred */
	size_t n_sums, sums_capacity;
};

void report_series_deinit(struct report_series *series);

/* Text, JSON and CSV only. */
void report_series_write(struct report_series *series, FILE *out, const struct profile *profile,
			 const struct model *const *models, size_t n_models, const struct report_options *options);

/* What follows the last report. */
void report_series_end(struct report_series *series, FILE *out, const struct report_options *options);

#endif
