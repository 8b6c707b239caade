/* A process that waits until itrace is killed, and then removes the breakpoints from the code of a program that
 * itrace attached to. A thread that itrace had stopped at a breakpoint or a step at that moment still dies of
 * SIGTRAP. */
#ifndef ITRACE_TARGET_WATCHDOG_H
#define ITRACE_TARGET_WATCHDOG_H

#include "target/target.h"

/* Watches over the program whose /proc/PID/mem is open as memory_fd. Returns NULL if the system cannot create a
 * process. */
struct watchdog *watchdog_create(int memory_fd);

/* Ends the process. `watchdog` may be NULL. */
void watchdog_destroy(struct watchdog *watchdog);

/* Replaces the list of breakpoints. `watchdog` may be NULL. */
void watchdog_set_breakpoints(struct watchdog *watchdog, const struct breakpoint *breakpoints, size_t n_breakpoints);

#endif
