/* Writes the trace of --trace: one line for each executed instruction and for each begin and end of a visit. */
#ifndef ITRACE_CLI_TRACING_TRACE_OUTPUT_H
#define ITRACE_CLI_TRACING_TRACE_OUTPUT_H

#include "base/error.h"
#include "engine/plan.h"
#include "source/source.h"

struct trace_output;

/* path: the file to write to, or NULL for stderr; borrowed. limit: the number of instructions to write; 0: all. NULL,
 * with the reason in *err, if the file cannot be opened. */
struct trace_output *trace_output_create(const char *path, uint64_t limit, struct error *err);
void trace_output_destroy(struct trace_output *output); /* may be NULL */

/* Returns true if the trace shares stderr with other messages. */
bool trace_output_is_stderr(const struct trace_output *output);

/* Writes one event. False once the trace cannot be written any more. */
bool trace_output_write(struct trace_output *output, struct profile *profile, struct source *source,
			const struct trace_event *event);

/* Writes what is buffered. Returns false if part of the trace could not be written. A reader that went away, as
 * `head` does, is no failure. */
bool trace_output_finish(struct trace_output *output, struct error *err);

#endif
