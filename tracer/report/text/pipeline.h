/* What the pipeline estimator found in a region: what it waited for, and where. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_PIPELINE_H
#define ITRACE_REPORT_TEXT_PIPELINE_H

#include "report/formats.h"

/* A sentence on one model's pipeline. */
void report_write_pipeline(const struct report *report, const struct section *section, size_t model);

/* A table of the loops on the first model, if they matter. */
void report_write_loops(const struct report *report, const struct section *section);

#endif
