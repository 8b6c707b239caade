/* The reports on several processes of one run in one output: text with a heading for each process and sums at the end,
 * one JSON array, or one CSV table with the process as its first column. */
#ifndef ITRACE_REPORT_MULTI_PROCESS_H
#define ITRACE_REPORT_MULTI_PROCESS_H

#include "report/report.h"

struct multi_process_sum {
	char *region;
	uint64_t visits, instructions, n_processes;
};

/* All zero before the first report. */
struct multi_process {
	size_t n_reports;
	struct multi_process_sum *sums; /* in the order of first occurrence */
	size_t n_sums, sums_capacity;
};

void multi_process_deinit(struct multi_process *processes);

/* Writes the report on one process. The format is text, JSON or CSV. */
void multi_process_write(struct multi_process *processes, FILE *out, const struct report_options *options,
			 const struct run_analysis *analysis);

/* Writes the end of the output, after the last report. */
void multi_process_end(struct multi_process *processes, FILE *out, const struct report_options *options);

#endif
