/* Runs the program of a command line and hands over what it executed. */
#ifndef ITRACE_CLI_TRACING_TRACING_H
#define ITRACE_CLI_TRACING_TRACING_H

#include <stdbool.h>

#include "cli/options/options.h"
#include "profile/profile.h"
#include "source/source.h"

/* What is to be done with the profile of each process that reached a region, and when all had their turn; false after saying what
 * failed. */
typedef bool tracing_use(void *context, struct profile *profile, struct source *source);
typedef bool tracing_end(void *context);

/* Returns the exit status, or does not return: a program killed by a signal makes itrace die of the same one. */
int tracing_run(const struct options *options, tracing_use *use, tracing_end *end, void *context);

#endif
