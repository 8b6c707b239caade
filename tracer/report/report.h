/* Writes the analysis of a run, for people or for tools. The output depends on the arguments only: the same profile
 * and models give the same bytes on any machine. The caller checks `out` for write errors. */
#ifndef ITRACE_REPORT_REPORT_H
#define ITRACE_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "report/options.h"

/* True if the report cannot be written without recorded calls. */
bool report_requires_calls(const struct report_options *options);

/* The analyses that report_write() needs. The result borrows what *options points to. */
struct analysis_request report_request(const struct report_options *options);

/* Writes regions with at least one visit, and names those without. report.schema.json, compare.schema.json and
 * annotate.schema.json describe the JSON. `analysis` was made for report_request(options). */
void report_write(FILE *out, const struct report_options *options, const struct run_analysis *analysis);

/* Writes the list of installed models as JSON, described by models.schema.json. `host` is the model of this machine's
 * CPU; NULL if it has none, and `host_error` then says why. */
void report_write_models(FILE *out, const struct model_list *list, const struct model *host,
			 const struct error *host_error);

/* A line of --trace for one executed instruction: address, symbol+offset, bytes, disassembly, at least two spaces
 * between them, and in angle brackets the symbol of a jump's target, unless that is NULL. */
void report_write_trace_line(FILE *out, const struct profile *profile, uint32_t insn, const char *target);

#endif
