/* What is wrong with an option that getopt_long does not take. */
#ifndef ITRACE_COMMANDS_OPTION_REFUSAL_H
#define ITRACE_COMMANDS_OPTION_REFUSAL_H

#include <getopt.h>
#include <stdbool.h>

#include "base/error.h"

/* found: what getopt_long said, '?' or ':'. given: the argument that it met, argv[optind - 1]. longs: as it has them. help: the
 * command that tells more. Returns false. */
bool option_refuse(int found, const char *given, const struct option *longs, const char *help, struct error *err);

#endif
