/* Runs a program and fills a profile with what its regions executed. */
#ifndef ITRACE_ENGINE_ENGINE_H
#define ITRACE_ENGINE_ENGINE_H

#include <stdbool.h>

#include "base/error.h"
#include "engine/plan.h"
#include "target/interrupts.h"

/* Runs the plan's program and all followed processes until they end or a limit is reached. Fills the profile even if
 * no region was reached. The profile has the program's exit status or signal, or neither after a detach. An interrupt
 * detaches from a process that ran before itrace. Fails, with the profile untouched, if the program cannot be started
 * or traced. */
bool engine_run(const struct trace_plan *plan, struct interrupts *interrupts, struct profile *profile,
		struct error *err);

/* Waits for the end of a launched program from which itrace detached. Passes interrupts on to it. */
void engine_await_end(struct profile *profile, struct interrupts *interrupts);

#endif
