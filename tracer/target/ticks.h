/* Ticks: SIGALRM every 20 ms, with which target_wait reports STOP_INTERRUPTED however quiet the program is. To be started when the
 * program runs, which would inherit them. */
#ifndef ITRACE_TARGET_TICKS_H
#define ITRACE_TARGET_TICKS_H

void ticks_start(void);
void ticks_stop(void);

/* How many there were, from any number on. */
unsigned ticks_count(void);

#endif
