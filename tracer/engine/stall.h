/* A stall: a thread waits for itrace, and itrace waits for the program. It is the last resort against errors in
 * itrace, and against programs whose threads wait for each other while itrace holds one of them. */
#ifndef ITRACE_ENGINE_STALL_H
#define ITRACE_ENGINE_STALL_H

#include "engine/run.h"

/* Call it at each tick. Returns true if the program has stalled for some seconds; sets run->is_leaving and
 * run->reason then, and notes which thread waited. */
bool stall_detect(struct run *run);

/* Returns true, and notes it, if a stalled program cannot be detached cleanly either. */
bool stall_persists(struct run *run);

#endif
