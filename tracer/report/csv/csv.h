/* Fields of CSV. A comma precedes each field except the first of a line. Private to report/. */
#ifndef ITRACE_REPORT_CSV_CSV_H
#define ITRACE_REPORT_CSV_CSV_H

#include "report/writer.h"

/* Writes text without a comma, quoted if necessary. */
void csv_write_text(FILE *out, const char *raw);

/* ",TEXT"; NULL: an empty field. */
void csv_write_field(FILE *out, const char *raw);

/* ",NUMBER"; an empty field for 0. */
void csv_write_number(FILE *out, uint32_t number);

/* ",CYCLES,MATCH"; the cycles are empty for CYCLE_SUM_UNKNOWN. */
void csv_write_cycle_sum(FILE *out, struct cycle_sum sum);

/* ",PREFIXcycles_MODEL,PREFIXmatch_MODEL" for each model; `suffix` follows "cycles" and "match". */
void csv_write_cycle_sum_names(const struct report *report, const char *prefix, const char *suffix);

/* The first fields of a line, and their names: the region's name and, with per_thread, the thread. */
void csv_write_region_names(const struct report *report);
void csv_write_region(const struct report *report, const struct region_analysis *region);

/* Paths and names in the profile; NULL for PROFILE_NONE. */
const char *csv_module(const struct report *report, uint32_t module);
const char *csv_function(const struct report *report, uint32_t function);
const char *csv_file(const struct report *report, uint32_t file);

/* The tables of REPORT_VIEW_TREE, REPORT_VIEW_CHARGES and REPORT_VIEW_MEMORY. */
void csv_write_call_tree(const struct report *report);
void csv_write_charges(const struct report *report);
void csv_write_memory(const struct report *report);

#endif
