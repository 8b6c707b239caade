/* --repeat N: compares the executions of a program in several runs. */
#ifndef ITRACE_CLI_TRACING_REPEAT_H
#define ITRACE_CLI_TRACING_REPEAT_H

#include "cli/options/options.h"

/* Runs the program options->repeat times. Prints to stderr which regions and functions executed different numbers of
 * instructions, and the likely causes. To find these, it runs the program twice more without address-space
 * randomization. Returns the exit status of the last run, or 125. */
int repeat_run(const struct options *options);

#endif
