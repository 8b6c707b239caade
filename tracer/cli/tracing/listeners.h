/* What listens to the streams of a run, for each process by itself: makers of call trees and paths, simulated branch predictors
 * and caches. */
#ifndef ITRACE_CLI_TRACING_LISTENERS_H
#define ITRACE_CLI_TRACING_LISTENERS_H

#include "cli/options/options.h"
#include "source/source.h"
#include "stream/stream.h"

struct listener; /* of one process */

struct listeners {
	const struct options *options;
	struct source *source;
	struct cache_recorder *caches; /* what each process is to have; NULL: none */
	struct trace_stream stream;
	struct listener **processes; /* [n_processes] that are under way */
	size_t n_processes, processes_capacity;
};

/* options and source are borrowed. listeners_deinit is due after success. Errors: --caches has no model with caches. */
bool listeners_init(struct listeners *listeners, const struct options *options, struct source *source,
		    struct error *err);
void listeners_deinit(struct listeners *listeners);

/* What an engine is to tell; NULL: the options ask for nothing of that. */
const struct trace_stream *listeners_stream(const struct listeners *listeners);

/* The process of this profile has ended, or was let go: completes the profile. */
void listeners_finish(struct listeners *listeners, struct profile *profile);

#endif
