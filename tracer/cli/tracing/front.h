/* Who traces a program that ran before does so in a process of its own. The one that the user started only waits for it: where
 * that is killed with SIGKILL, the other one is told, and lets the program go as it should. */
#ifndef ITRACE_CLI_TRACING_FRONT_H
#define ITRACE_CLI_TRACING_FRONT_H

#include <stdbool.h>

/* True in the process that waited, with the exit status that is to be its own; false in the one that is to do the work, or when no
 * other process could be made. */
bool front_waits(int *exit_status);

#endif
