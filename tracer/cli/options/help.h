/* What --help prints. */
#ifndef ITRACE_CLI_OPTIONS_HELP_H
#define ITRACE_CLI_OPTIONS_HELP_H

#include <stdio.h>

#include "cli/options/options.h"

#define DEFAULT_MODELS "skylake,zen4,vax8800"
#define DEFAULT_ANNOTATED "skylake" /* more columns leave less of the source */
#define DEFAULT_COMPARED DEFAULT_MODELS ",all"

void help_write(FILE *out, enum options_command command);

#endif
