/* --repeat N: whether a program executes the same in every run. */
#ifndef ITRACE_CLI_TRACING_REPEAT_H
#define ITRACE_CLI_TRACING_REPEAT_H

#include "cli/options/options.h"

/* Runs the program options->repeat times, and where counts differ, twice more without address-space randomization, to tell whether
 * that is the cause. Says on stderr which regions and functions differ, and what in them may make runs differ. Returns the exit status of the last run, or 125. */
int repeat_run(const struct options *options);

#endif
