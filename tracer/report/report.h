/* Writes the analysis of a run, for people or for tools. The output depends on the arguments only: the same profile
 * and models give the same bytes on any machine. The caller checks `out` for write errors. */
#ifndef ITRACE_REPORT_REPORT_H
#define ITRACE_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "report/options.h"

/* Returns true if the report needs recorded calls. */
bool report_requires_calls(const struct report_options *options);

/* Returns the analyses that report_write() needs. The result borrows all memory to which *options points. */
struct analysis_request report_request(const struct report_options *options);

/* Writes the regions with a visit, and the names of the other ones. `analysis` must be made for
 * report_request(options). report.schema.json, compare.schema.json and annotate.schema.json describe the JSON. */
void report_write(FILE *out, const struct report_options *options, const struct run_analysis *analysis);

/* Writes the list of installed models as JSON, described by models.schema.json. `host`: the model of this machine's
 * CPU, or NULL with the reason in `host_error`. */
void report_write_models(FILE *out, const struct model_list *list, const struct model *host,
			 const struct error *host_error);

/* Writes a line of --trace for one executed instruction: address, symbol+offset, bytes and disassembly, separated by at
 * least two spaces. `target`: symbol of a jump's target, written in angle brackets, or NULL. */
void report_write_trace_line(FILE *out, const struct profile *profile, uint32_t insn, const char *target);

#endif
