/* Protects a running program (--pid) against a kill of itrace. A child traces it, and the process that the user started
 * only waits. If SIGKILL kills the waiting process, the kernel tells the child, which detaches. */
#ifndef ITRACE_CLI_TRACING_SUPERVISOR_H
#define ITRACE_CLI_TRACING_SUPERVISOR_H

#include <stdbool.h>

/* Forks. True in the parent, once the child has ended, with the exit status for itrace. False in the child, which is
 * to trace, and in the only process if fork failed. */
bool supervisor_wait(int *exit_status);

#endif
