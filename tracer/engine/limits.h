/* The limits of a plan, after which itrace detaches. */
#ifndef ITRACE_ENGINE_LIMITS_H
#define ITRACE_ENGINE_LIMITS_H

#include "engine/run.h"

/* Returns true once a limit has been reached; sets run->is_leaving and run->reason then. */
bool run_is_over(struct run *run);

/* Returns true if the limit on instructions is so close that the rest must be stepped. */
bool run_is_near_limit(const struct run *run);

/* A thread has entered a backend that counts by itself. Schedules a tick before that thread can exceed the limit; at
 * the tick it comes out and is counted. */
void run_hasten_tick(struct run *run);

#endif
