/* Ticks: SIGALRM every 20 ms, so that target_wait reports STOP_INTERRUPTED even if the program is quiet. Start them
 * after the program has started, because it would inherit the signal mask. */
#ifndef ITRACE_TARGET_TICKS_H
#define ITRACE_TARGET_TICKS_H

#include <stdint.h>

void ticks_start(void);
void ticks_stop(void);

/* Makes the next tick come after `ns`, at most TICK_NS. Later ticks keep their period. */
#define TICK_NS 20000000u
void ticks_hasten(uint64_t ns);

/* Returns the number of ticks, from an arbitrary start. */
unsigned ticks_count(void);

#endif
