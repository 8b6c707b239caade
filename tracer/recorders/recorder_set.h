/* The recorders of a run. Each process has call trees, paths, and simulated branch predictors and caches. */
#ifndef ITRACE_RECORDERS_RECORDER_SET_H
#define ITRACE_RECORDERS_RECORDER_SET_H

#include "recorders/caches.h"
#include "recorders/calls.h"
#include "stream/stream.h"

struct recorder_plan {
	bool calls;			     /* records call trees */
	bool memory;			     /* records allocations; requires calls */
	bool paths;			     /* records paths and mispredicted branches */
	const struct cache_recorder *caches; /* geometries of the caches of each process; requires paths. NULL: none */
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

/* Borrows the plan's caches and context. The set must not move before recorder_set_deinit. */
void recorder_set_init(struct recorder_set *set, const struct recorder_plan *plan);
void recorder_set_deinit(struct recorder_set *set);

/* Returns the consumer of the stream for an engine, or NULL if the plan has no recorder. */
const struct trace_stream *recorder_set_stream(const struct recorder_set *set);

/* Completes the profile of a process that has ended or was detached from. */
void recorder_set_finish(struct recorder_set *set, struct profile *profile);

#endif
