/* Parts of a region's text. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_TABLES_H
#define ITRACE_REPORT_TEXT_TABLES_H

#include "report/writer.h"

/* The region's groups by cost. */
void table_write_groups(const struct report *report, const struct region_analysis *region);

/* The region's call tree. Writes nothing without a call tree. */
void table_write_call_tree(const struct report *report, const struct region_analysis *region);

/* The region's costs by lines of the user's code, and its system calls. Writes nothing without a call tree. */
void table_write_charges(const struct report *report, const struct region_analysis *region);

/* Allocations by lines of the user's code. */
void table_write_memory(const struct report *report, const struct region_analysis *region);

/* Writes a sentence on the causes of stalls in the pipeline of one model. */
void pipeline_write_waits(const struct report *report, const struct region_analysis *region, size_t model);

/* A table of the most expensive loops on the first model, which has a pipeline. Writes nothing if no loop is
 * expensive. */
void pipeline_write_loops(const struct report *report, const struct region_analysis *region);

#endif
