/* Protects a running program (--pid) against a kill of itrace. A child traces it, and the process that the user started
 * only waits. If SIGKILL kills the waiting process, the kernel sends SIGTERM to the child, and the child detaches. */
#ifndef ITRACE_CLI_TRACING_SUPERVISOR_H
#define ITRACE_CLI_TRACING_SUPERVISOR_H

#include <stdbool.h>

/* Forks. In the parent: waits for the child, sets *exit_status, and returns true. In the child: returns false, and the
 * caller traces. If the fork fails: returns false, and the caller traces without protection. */
bool supervisor_fork(int *exit_status);

#endif
