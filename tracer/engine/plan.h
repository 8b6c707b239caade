/* The plan of a run: the program, the regions, the counts and the limits. */
#ifndef ITRACE_ENGINE_PLAN_H
#define ITRACE_ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"
#include "stream/stream.h"

struct function_finder; /* elf/file.h */

enum engine_kind {
	ENGINE_AUTO,	  /* steps short visits and the beginning of long ones, and translates the rest */
	ENGINE_STEP,	  /* executes one instruction at a time */
	ENGINE_TRANSLATE, /* translates all code that can be translated */
};

#define TRACES_NEVER UINT32_MAX /* value of trace_plan.traces_seed */

enum trace_event_kind {
	TRACE_INSN,  /* an instruction was executed */
	TRACE_BEGIN, /* a counted visit began */
	TRACE_END,   /* a counted visit ended, or was cut */
};

struct trace_event {
	enum trace_event_kind kind;
	int32_t tid;	/* the thread; its process is profile->pid */
	uint32_t index; /* TRACE_INSN: in profile->insns; else in profile->regions */
};

/* Everything is borrowed. */
struct trace_plan {
	const char *const *argv; /* NULL-terminated; itrace looks up argv[0] along PATH */
	int32_t pid;		 /* ID of a running process to trace in place of argv; 0: none */
	bool follow;		 /* also trace the processes that it starts */
	bool disable_aslr;
	enum engine_kind engine;
	bool per_thread; /* also count each region separately for each thread (profile_region.all_threads_region) */
	bool want_edges; /* count transfers of control; without it profile->has_edges may be false */
	/* For tests. 0: traces are made when they pay. TRACES_NEVER: none are made. Any other value seeds pseudo-
	 * random numbers. They choose the traces from the program's start on, and the times at which all code is
	 * translated again. */
	uint32_t traces_seed;
	/* May be NULL. The run adds the number of instructions that it translated, executed or not. Each address of a
	 * process counts once. */
	uint64_t *n_translated;

	/* Regions in addition to those of markers and bare int3. */
	const char *const *functions; /* [n_functions] */
	size_t n_functions;
	const struct function_finder *finder;	  /* resolves `functions`; NULL: they are symbol names */
	const char *const *starts, *const *stops; /* [n_ranges] addresses */
	size_t n_ranges;
	bool whole_program;
	const char *const *only_regions; /* [n_only_regions] names of the markers that define regions; none: all */
	size_t n_only_regions;
	bool scopes; /* each PA_SCOPE also defines a region, regardless of only_regions */

	const struct trace_stream *stream; /* may be NULL */

	/* Limits at which itrace detaches from all processes; 0: none. Translated code may exceed max_instructions,
	 * because its counters are read only when the thread leaves it (limits.c). */
	uint64_t max_instructions, max_visits; /* counted in all regions and processes together */
	uint64_t timeout_ns;
	/* Of the visits of a region by a process, count the first and every visit_period-th after it; 0: all. */
	uint64_t visit_period;

	/* Called with the profile of a followed process when the process has ended or is detached. The profile is
	 * then destroyed. May be NULL. */
	void (*on_child)(void *context, struct profile *profile);
	/* Called with each event, in order for each thread. A return of false ends tracing, as a limit does. May be
	 * NULL. */
	bool (*on_event)(void *context, struct profile *profile, const struct trace_event *event);
	/* Called every thousand instructions with the number executed so far in all regions, and with region NULL
	 * when a thread leaves its last region. May be NULL. */
	void (*on_progress)(void *context, const char *region, uint64_t instructions);
	void *context; /* passed to the callbacks */
};

#endif
