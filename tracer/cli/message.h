/* Messages to the user on standard error. */
#ifndef ITRACE_CLI_MESSAGE_H
#define ITRACE_CLI_MESSAGE_H

#include "base/error.h"

#define EXIT_FAILED 125 /* of itrace itself; error_exit_status() gives the others */

/* Prints the error and returns the exit status for it. */
int message_error(const struct error *err);

/* Says that a signal killed the program, so that nobody takes itrace's own death by the same signal for a crash. */
void message_killed(int signal);

/* Flushes standard output. Returns 0, or the exit status after printing why not all of it could be written. */
int message_end_output(void);

#endif
