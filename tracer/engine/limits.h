/* The limits of a plan, after which itrace detaches. */
#ifndef ITRACE_ENGINE_LIMITS_H
#define ITRACE_ENGINE_LIMITS_H

#include "engine/run.h"

/* True when a limit is reached, or was before; sets run->is_leaving and run->reason. */
bool run_is_over(struct run *run);

/* True when so few instructions are left until the limit that they must be stepped. */
bool run_is_near_limit(const struct run *run);

/* A thread was sent into a backend that counts for itself. Makes the next tick come in time for the limit: the
 * thread comes out then and is counted. */
void run_hasten_tick(struct run *run);

#endif
