/* A stall: a thread waits for itrace, and itrace waits for the program. Errors in itrace can cause one, and so can a
 * program whose threads wait for each other while itrace holds one of them. As a last resort itrace detaches. */
#ifndef ITRACE_ENGINE_STALL_H
#define ITRACE_ENGINE_STALL_H

#include "engine/run.h"

/* Call it at each tick. Returns true if the program has stalled for some seconds; sets run->is_leaving and
 * run->reason then, and notes which thread waited. */
bool stall_detect(struct run *run);

/* Returns true, and notes the failure in the profile, if a stalled program cannot be detached cleanly. */
bool stall_persists(struct run *run);

#endif
