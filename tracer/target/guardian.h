/* What happens to a program that was attached to when itrace is killed: a process of its own, which waits for that, takes the
 * breakpoints out of the program's code, and does nothing else. A thread that itrace stopped for a breakpoint or a step at that
 * moment dies of its SIGTRAP all the same. */
#ifndef ITRACE_TARGET_GUARDIAN_H
#define ITRACE_TARGET_GUARDIAN_H

#include "target/target.h"

/* Guards the memory behind memory_fd. NULL, when the system lets us make no process: it goes without. */
struct guardian *guardian_create(int memory_fd);

/* Ends it. NULL is none. */
void guardian_destroy(struct guardian *guardian);

/* These are the breakpoints from now on. NULL is none. */
void guardian_tell(struct guardian *guardian, const struct breakpoint *breakpoints, size_t n_breakpoints);

#endif
