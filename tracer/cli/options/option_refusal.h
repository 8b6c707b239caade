/* What is wrong with an option that getopt_long does not take. */
#ifndef ITRACE_CLI_OPTIONS_OPTION_REFUSAL_H
#define ITRACE_CLI_OPTIONS_OPTION_REFUSAL_H

#include <getopt.h>
#include <stdbool.h>

#include "base/error.h"

/* For directly after getopt_long: optopt is as it left it. found: what it said, '?' or ':'. before: argv[optind - 1], which is what it
 * met, unless that is a letter with others behind it. longs: as it has them. help: the command that tells more. Returns false. */
bool option_refuse(int found, const char *before, const struct option *longs, const char *help, struct error *err);

#endif
