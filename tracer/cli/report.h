/* `itrace report FILE` and `itrace compare FILE`: on a run that was saved. */
#ifndef ITRACE_CLI_REPORT_H
#define ITRACE_CLI_REPORT_H

#include "cli/options/options.h"

/* argv[0] is the subcommand. They return the exit status. */
int command_report(int argc, char **argv);
int command_compare(int argc, char **argv);

/* On options->profile_path, of a command line that was read. */
int report_saved(struct options *options);

#endif
