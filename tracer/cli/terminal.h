/* Fits a report to the terminal that it is written to. */
#ifndef ITRACE_CLI_TERMINAL_H
#define ITRACE_CLI_TERMINAL_H

#include <stdio.h>

#include "report/report.h"

/* Sets is_ascii if the locale has no UTF-8, and width and color if `out` is a terminal. COLUMNS overrides its width;
 * NO_COLOR and TERM=dumb turn colors off. out: NULL for a file. */
void terminal_fit(FILE *out, struct report_options *options);

#endif
