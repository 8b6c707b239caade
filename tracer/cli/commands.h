/* The command line of itrace and its commands. Each command takes the options that were read, and returns the exit
 * status. If a signal kills the program that a command runs, itrace dies of the same signal, and the command does not
 * return. */
#ifndef ITRACE_CLI_COMMANDS_H
#define ITRACE_CLI_COMMANDS_H

#include "cli/options/options.h"

/* Called by main() with its arguments: finds the command, reads its options and runs it. Returns the exit status. */
int cli_run(int argc, char **argv);

int command_run(const struct options *options); /* `itrace PROGRAM` and `itrace annotate PROGRAM` */
int command_record(const struct options *options);
int command_report(const struct options *options); /* of a saved run: report, compare and annotate */
int command_models(const struct options *options);

/* `itrace models import FILE --arch ARCH [-o NAME.cost]`: replaces this process by the script tools/import-model.
 * argv[0] is "import". Returns only on failure, with the exit status. */
int command_models_import(int argc, char **argv);

int command_block(const struct options *options);
int command_sample(const struct options *options);
int command_measure(const struct options *options);

#endif
