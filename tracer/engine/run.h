/* A run: the traced processes, and an engine for each of them. Private to engine/. */
#ifndef ITRACE_ENGINE_RUN_H
#define ITRACE_ENGINE_RUN_H

#include "base/monotonic.h"
#include "decode/memo.h"
#include "engine/code.h"
#include "engine/plan.h"
#include "engine/reached_code.h"
#include "engine/task.h"
#include "engine/threads/rseq.h"
#include "engine/warm_code.h"
#include "regions/triggers.h"
#include "target/target.h"

struct backend;

/* See stall.h. */
struct stall {
	uint64_t n_stops; /* run->n_stops at quiet_since_ns */
	/* Time of the latest stop that was handled; renewed while no thread waits for itrace. */
	uint64_t quiet_since_ns;
	pid_t waiting_tid; /* a thread that waited for itrace at the latest check; 0: none */
	uint64_t found_ns; /* time at which the stall was found; 0: there was none */
};

struct run {
	const struct trace_plan *plan;
	struct target target;
	uint64_t begin_ns;
	struct reached_code reached_code;
	struct warm_codes warm_codes;
	struct code_forms forms;
	struct insn_memo memo; /* of the translate backends */
	uint64_t n_stops;      /* stops of threads handled so far */
	struct stall stall;
	bool was_told_to_stop;	 /* by a signal to itrace */
	uint64_t n_visits;	 /* visits that have ended, in all processes */
	uint64_t n_instructions; /* instructions executed by processes that are gone */
	unsigned n_ticks;	 /* tick at which the clock was last read */
	uint64_t tick_due_ns;	 /* time at which the next tick is due */
	unsigned n_due_ticks;	 /* the tick at which tick_due_ns was computed */
	bool is_leaving;	 /* threads are parked as they stop, to be detached */
	char reason[64];	 /* why: "after 10 visits" */
	bool is_unwatched;	 /* plan->on_event wants no more events */
	unsigned n_pinned;	 /* pinned tasks */
	cpu_set_t saved_cpus;	 /* itrace's affinity, restored when no task is pinned any more */
};

/* Traces one process, as process->engine. */
struct engine {
	struct run *run;
	const struct trace_plan *plan; /* of the run */
	struct target *target;	       /* of the run */
	struct process *process;
	struct profile *profile;
	uint64_t begin_ns;
	struct trigger_request request;
	struct triggers triggers;
	struct code code;
	struct rseq_sections sections;
	struct backend *backends[2]; /* [n_backends] stepping; then translation if the plan allows it */
	size_t n_backends;
	const struct backend *used; /* the translate backend once it has executed anything, else the step backend */
	bool is_attached;	    /* the program ran before itrace attached */
	/* the program handles SIGTRAP itself; updated when a thread begins its first visit, and after rt_sigaction */
	bool handles_sigtrap;
	bool has_inner_tracer;	 /* the user was notified that the program cannot trace (inner_tracers.h) */
	uint64_t n_instructions; /* executed in any region */
	uint64_t *region_visits; /* [n_region_visits] visits by region, counted or not; for --every */
	size_t n_region_visits, region_visits_capacity;
	unsigned n_tasks, n_native_tasks;
	uint32_t n_streams; /* number of threads with a number in the stream */
};

/* Handles the stop of a thread, and continues the thread: natively outside regions, else in a backend (dispatch.c). */
void dispatch_stop(struct run *run, const struct stop *stop);

/* Returns true once a limit of the plan has been reached; sets run->is_leaving and run->reason then (limits.c). */
bool run_is_over(struct run *run);

/* Returns true if the limit on instructions is so close that the rest must be stepped. */
bool run_is_near_limit(const struct run *run);

/* A thread has entered a backend that counts by itself. Schedules a tick before that thread can exceed the limit; at
 * the tick the thread leaves the backend, and its counters are read. */
void run_hasten_tick(struct run *run);

#endif
