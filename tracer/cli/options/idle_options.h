/* Options that do nothing beside the others. Who gave one on the command line expected something of it, so it is refused; one that the
 * environment sets for all runs is not. Private to options.c. */
#ifndef ITRACE_CLI_OPTIONS_IDLE_OPTIONS_H
#define ITRACE_CLI_OPTIONS_IDLE_OPTIONS_H

#include "cli/options/option_rows.h"

/* given[N_OPTION_ROWS]: by row, whether it was on the command line. False: one of them is idle. */
bool idle_options_check(const struct options *options, const bool *given, struct error *err);

#endif
