/* A timer that sends itrace a signal at a deadline and again after it. */
#ifndef ITRACE_TARGET_DEADLINE_H
#define ITRACE_TARGET_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* Creates the timer, not running. False if there are no more timers. */
bool deadline_create(int signal);
void deadline_destroy(void);

/* Both times below a second. A signal handler may call it. */
void deadline_set(uint32_t first_ns, uint32_t again_ns);

#endif
