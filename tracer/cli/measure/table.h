/* The table of `itrace measure --compare`: instructions side by side on this machine and on those of models. */
#ifndef ITRACE_CLI_MEASURE_TABLE_H
#define ITRACE_CLI_MEASURE_TABLE_H

#include "cli/model_set.h"
#include "timing/survey.h"

/* Writes to stdout. clock_mhz: this machine's. */
void measure_table_write(const struct survey *survey, uint32_t clock_mhz, const struct model_set *models);

#endif
