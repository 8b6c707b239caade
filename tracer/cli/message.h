/* What itrace says to its user on standard error. */
#ifndef ITRACE_CLI_MESSAGE_H
#define ITRACE_CLI_MESSAGE_H

#include "base/error.h"

/* Prints the error; returns the exit status that it stands for. */
int message_error(const struct error *err);

/* Ends what a command wrote to standard output. Returns 0, or the exit status after saying why not all of it arrived. */
int message_end_output(void);

#endif
