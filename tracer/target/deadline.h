/* A timer that sends itrace a signal at a deadline and repeatedly after it. */
#ifndef ITRACE_TARGET_DEADLINE_H
#define ITRACE_TARGET_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* Creates the timer, stopped. Returns false if the system has no more timers. */
bool deadline_create(int signal);
void deadline_destroy(void);

/* Both times are below one second. first_ns 0 stops the timer; period_ns 0 stops it after the first signal. A signal
 * handler may call this function. */
void deadline_set(uint32_t first_ns, uint32_t period_ns);

#endif
