/* Runs a program and fills a profile with what its regions executed. */
#ifndef ITRACE_ENGINE_ENGINE_H
#define ITRACE_ENGINE_ENGINE_H

#include <stdbool.h>

#include "base/error.h"
#include "engine/plan.h"

/* Interrupts of a running engine, set by a signal handler. */
struct engine_interrupts {
	volatile int count;    /* times that itrace was told to stop */
	volatile int signal;   /* the last signal, to be sent to the program; 0: the program has received it already */
	volatile bool insists; /* several came within a short time: kill the program */
};

/* Runs the plan's program, with all followed processes, to its end or until a limit is reached. On success the
 * profile is filled, whether or not a region was reached, with the program's exit status or signal, or neither if
 * itrace detached. An interrupt detaches from a process that ran before. Errors: the program cannot be started or
 * traced; the profile is untouched then. */
bool engine_run(const struct trace_plan *plan, const struct engine_interrupts *interrupts, struct profile *profile,
		struct error *err);

/* Waits for the end of a launched program from which itrace detached; passes interrupts on to it. */
void engine_await_end(struct profile *profile, const struct engine_interrupts *interrupts);

#endif
