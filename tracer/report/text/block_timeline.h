/* When the instructions of a block went through their stages: a drawing for people, a list for tools. */
#ifndef ITRACE_REPORT_TEXT_BLOCK_TIMELINE_H
#define ITRACE_REPORT_TEXT_BLOCK_TIMELINE_H

#include <jansson.h>
#include <stdio.h>

#include "costmodels/estimators/pipeline/pipeline.h"

/* At most 120 columns wide: later cycles are cut. disassembly[n_insns]. */
void block_timeline_write(FILE *out, const struct pipeline_result *result, const char *const *disassembly);

/* A new array. */
json_t *block_timeline_json(const struct pipeline_result *result);

#endif
