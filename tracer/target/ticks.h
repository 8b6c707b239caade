/* Ticks: SIGALRM every 20 ms, with which target_wait reports STOP_INTERRUPTED however quiet the program is. To be started when the
 * program runs, which would inherit them. */
#ifndef ITRACE_TARGET_TICKS_H
#define ITRACE_TARGET_TICKS_H

#include <stdint.h>

void ticks_start(void);
void ticks_stop(void);

/* The next tick comes so soon, at most after TICK_NS; those after it as always. */
#define TICK_NS 20000000u
void ticks_hasten(uint64_t ns);

/* How many there were, from any number on. */
unsigned ticks_count(void);

#endif
