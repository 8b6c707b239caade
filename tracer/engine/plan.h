/* The plan of a run: the program, the regions, the counts and the limits. */
#ifndef ITRACE_ENGINE_PLAN_H
#define ITRACE_ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"
#include "stream/stream.h"

enum engine_kind {
	ENGINE_AUTO,	  /* steps short visits and the beginning of long ones, and translates the rest */
	ENGINE_STEP,	  /* executes one instruction at a time */
	ENGINE_TRANSLATE, /* translates all that can be translated */
};

#define TRACES_NEVER UINT32_MAX /* trace_plan.traces_seed */

/* Everything is borrowed. */
struct trace_plan {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up along PATH */
	int32_t pid;		 /* of a running process to trace instead; 0: none */
	bool follow;		 /* trace the processes that it starts, too */
	bool disable_aslr;
	enum engine_kind engine;
	bool per_thread; /* count each region for each thread separately, too (profile_region.part_of) */
	bool want_edges; /* count transfers of control, too; else profile->has_edges may be false */
	/* For tests. 0: traces are made where they pay. TRACES_NEVER: none are made. Else traces are made from the
	 * beginning, where pseudo-random numbers from this seed decide, and all code is translated again from time
	 * to time. */
	uint32_t traces_seed;
	/* May be NULL. The number of instructions translated, executed or not, is added to it: each address of a
	 * process once. */
	uint64_t *n_translated;

	/* Regions, besides those that markers and bare int3 define. */
	const char *const *functions; /* [n_functions] */
	size_t n_functions;
	const char *start, *stop; /* addresses; both or neither */
	bool whole_program;
	const char *const *only_regions; /* [n_only_regions] names of the markers that define regions; none: all */
	size_t n_only_regions;
	bool scopes; /* each PA_SCOPE defines a region, too, regardless of only_regions */

	const struct trace_stream *stream; /* may be NULL */

	/* Limits after which itrace detaches from all processes; 0: none. max_instructions may be exceeded by
	 * translated code, which comes out of it only at times (limits.h). */
	uint64_t max_instructions, max_visits; /* counted in all regions and processes together */
	uint64_t timeout_ns;
	uint64_t every; /* count the first visit of a region by a process and every Nth after it; 0: all */

	/* Called with the profile of a followed process when it has ended or is detached; the profile is destroyed
	 * afterwards. May be NULL. */
	void (*on_child)(void *context, struct profile *profile);
	/* Called after each executed instruction, with its index in profile->insns. May be NULL. */
	void (*on_instruction)(void *context, struct profile *profile, uint32_t insn);
	/* Called every thousand instructions with the number executed so far in all regions, and with region NULL
	 * when a thread leaves its last region. May be NULL. */
	void (*on_progress)(void *context, const char *region, uint64_t instructions);
	char *(*demangle)(const char *symbol); /* to match `functions`, too; may be NULL */
	void *context;			       /* of the callbacks */
};

#endif
