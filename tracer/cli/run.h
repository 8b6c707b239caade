/* `itrace [options] program [arguments]`: runs the program, then reports. */
#ifndef ITRACE_CLI_RUN_H
#define ITRACE_CLI_RUN_H

#include "cli/options/options.h"

/* Returns the exit status, or does not return: a program killed by a signal makes itrace die of the same one. */
int command_run(int argc, char **argv);

/* The same of a command line that was read. */
int run_and_report(struct options *options);

#endif
