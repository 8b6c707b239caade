/* The recorders of a run: for each process its own call trees, paths, and simulated branch predictors and caches. */
#ifndef ITRACE_RECORDERS_RECORDER_SET_H
#define ITRACE_RECORDERS_RECORDER_SET_H

#include "recorders/caches.h"
#include "recorders/calls.h"
#include "stream/stream.h"

struct recorder_plan {
	bool calls, memory;		     /* call trees; allocations with them */
	bool paths;			     /* with mispredicted branches */
	const struct cache_recorder *caches; /* the caches that each process has; NULL: none. Needs paths */
	call_symbolize *symbolize;	     /* for call trees */
	void *context;			     /* passed to symbolize */
};

struct process_recorders;

struct recorder_set {
	struct recorder_plan plan;
	struct trace_stream stream;
	struct process_recorders **processes; /* [n_processes] that have not ended */
	size_t n_processes, processes_capacity;
};

/* The plan's caches and context are borrowed. The set must not move before recorder_set_deinit. */
void recorder_set_init(struct recorder_set *set, const struct recorder_plan *plan);
void recorder_set_deinit(struct recorder_set *set);

/* Returns the stream for an engine to fill; NULL: the plan has no recorder. */
const struct trace_stream *recorder_set_stream(const struct recorder_set *set);

/* Completes the profile of a process that has ended or was detached from. */
void recorder_set_finish(struct recorder_set *set, struct profile *profile);

#endif
