/* Runs a program and fills a profile with what its regions executed. */
#ifndef ITRACE_ENGINE_ENGINE_H
#define ITRACE_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/profile.h"
#include "stream/stream.h"

enum engine_kind {
	ENGINE_AUTO,	  /* steps at first, and translates where a visit gets long */
	ENGINE_STEP,	  /* one instruction at a time */
	ENGINE_TRANSLATE, /* translates all that can be translated */
};

#define TRACES_NEVER UINT32_MAX /* trace_plan.traces_seed */

/* What to run and what to count. Everything is borrowed. */
struct trace_plan {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up along PATH */
	int32_t pid;		 /* of a running process to be traced instead; 0: none */
	bool follow;		 /* the processes that it starts are traced, too */
	bool disable_aslr;
	enum engine_kind engine;
	bool per_thread; /* what each thread has of each region, too, as parts (profile.h) */
	bool want_edges; /* transfers of control, too; else profile->has_edges may be false */
	/* For tests: translated code goes on over transfers (traces) from the first moment on, wherever this number has it, and is
	 * made anew ever so often; 0: where it pays, or TRACES_NEVER. */
	uint32_t traces_seed;
	/* Where the instructions that were translated, executed or not, are added up, each address of a process once; NULL: not wanted. */
	uint64_t *n_translated;

	/* Regions. With none of functions, start and whole_program set, markers and bare int3 define them; they always
	 * do so besides. */
	const char *const *functions; /* [n_functions] */
	size_t n_functions;
	const char *start, *stop; /* both or neither */
	bool whole_program;
	const char *const *only_regions; /* [n_only_regions] markers to heed; none: all */
	size_t n_only_regions;
	bool scopes; /* PA_SCOPE defines regions, too: all of them, whatever only_regions says */

	const struct trace_stream *stream; /* NULL: not wanted */

	/* When all processes are let go, to run on untraced; 0: never. The last instructions are stepped, unless translated code has
	 * gone beyond them (limits.c). */
	uint64_t max_instructions, max_visits; /* counted in all regions and processes together */
	uint64_t timeout_ns;
	uint64_t every; /* count each so-manieth visit of a region by a process, the first one included; 0: all */

	/* Called with what a process that was followed executed, when it has ended or is let go; the profile is destroyed
	 * afterwards. NULL: not wanted. */
	void (*on_child)(void *context, struct profile *profile);
	/* Called after each executed instruction, with its index in profile->insns; NULL: not wanted. */
	void (*on_instruction)(void *context, struct profile *profile, uint32_t insn);
	/* Called every thousand instructions with their number so far in all regions, and with region NULL when a thread
	 * leaves its last region; NULL: not wanted. */
	void (*on_progress)(void *context, const char *region, uint64_t instructions);
	char *(*demangle)(const char *symbol); /* for functions; NULL: only symbols as they stand match */
	void *context;			       /* of the callbacks */
};

/* What a signal handler tells a running engine. */
struct engine_interrupts {
	volatile int count;    /* of the times that itrace was told to stop */
	volatile int signal;   /* by which signal last, to be sent to the program; 0: it has got it already */
	volatile bool insists; /* so often within so little time that the program is to be killed */
};

/* Runs the plan's program, with all that are followed, to its end, or until a limit is reached. On success the profile is filled,
 * whether or not a region was reached, and what the program did (its exit status or signal, or neither if it was let go) is in it.
 * A running process is let go when an interrupt comes. Errors: the program cannot be started or traced; the profile is untouched
 * then. */
bool engine_run(const struct trace_plan *plan, const struct engine_interrupts *interrupts, struct profile *profile,
		struct error *err);

/* Waits for the end of a launched program that was let go; interrupts are passed on to it. */
void engine_await_end(struct profile *profile, const struct engine_interrupts *interrupts);

#endif
