/* A timer that sends itrace a signal at a deadline and repeatedly after it. */
#ifndef ITRACE_TARGET_DEADLINE_H
#define ITRACE_TARGET_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* Creates the timer, stopped. False if the system has no more timers. */
bool deadline_create(int signal);
void deadline_destroy(void);

/* Both times are below one second. If first_ns is 0, the timer stops. A signal handler may call it. */
void deadline_set(uint32_t first_ns, uint32_t again_ns);

#endif
