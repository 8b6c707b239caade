/* A run: the traced processes, and an engine for each of them. Private to engine/. */
#ifndef ITRACE_ENGINE_RUN_H
#define ITRACE_ENGINE_RUN_H

#include <time.h>

#include "engine/code.h"
#include "engine/plan.h"
#include "engine/task.h"
#include "engine/threads/rseq.h"
#include "regions/triggers.h"
#include "target/target.h"

struct backend;

struct run {
	const struct trace_plan *plan;
	struct target target;
	uint64_t begin_ns;
	uint64_t n_visits;	 /* ended, in all processes */
	uint64_t n_instructions; /* executed by processes that are gone */
	unsigned n_ticks;	 /* when limits.c looked at the clock last */
	uint64_t tick_due_ns;	 /* when the next tick comes, ... */
	unsigned n_due_ticks;	 /* ... as computed at this tick */
	bool is_leaving;	 /* threads are parked as they stop, to be detached */
	char reason[64];	 /* why: "after 10 visits" */
	unsigned n_pinned;	 /* tasks */
	cpu_set_t saved_cpus;	 /* itrace's affinity, to be restored when no task is pinned */
};

/* Traces one process; it is process->engine. */
struct engine {
	struct run *run;
	const struct trace_plan *plan; /* the run's */
	struct target *target;	       /* the run's */
	struct process *process;
	struct profile *profile;
	uint64_t begin_ns;
	struct trigger_request request;
	char *range_name; /* of the request */
	struct triggers triggers;
	struct code code;
	struct rseq_sections sections;
	struct backend
		*backends[2]; /* [n_backends] the stepping one first, then one for long visits if the plan allows it */
	size_t n_backends;
	const struct backend *used; /* the last of them that executed instructions */
	bool is_attached;	    /* the program ran before itrace */
	/* the program does; updated when a thread begins its first visit, and after rt_sigaction */
	bool handles_sigtrap;
	uint64_t n_instructions; /* executed in any region */
	uint64_t *begun;	 /* [n_begun] visits by region, counted or not; for --every */
	size_t n_begun, begun_capacity;
	uint32_t n_streams; /* threads that were part of the stream */
};

static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
