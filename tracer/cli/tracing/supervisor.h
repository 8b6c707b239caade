/* Protects a running program (--pid) against a kill of itrace. A process of its own traces it, and the one that the
 * user started only waits. If that one is killed by SIGKILL, the kernel tells the tracing process, which detaches. */
#ifndef ITRACE_CLI_TRACING_SUPERVISOR_H
#define ITRACE_CLI_TRACING_SUPERVISOR_H

#include <stdbool.h>

/* Forks. True in the parent, once the child has ended, with the exit status for itrace. False in the child, which is
 * to trace, and in the only process if fork failed. */
bool supervisor_wait(int *exit_status);

#endif
