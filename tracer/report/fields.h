/* The rows of call trees and charges, described once for CSV and JSON: the members of a JSON object are the columns
 * of the CSV. Private to report/. */
#ifndef ITRACE_REPORT_FIELDS_H
#define ITRACE_REPORT_FIELDS_H

#include <jansson.h>

#include "report/writer.h"

/* The destination of fields: `object`, or a line of report->out that begins with other fields. */
struct fields {
	const struct report *report;
	json_t *object; /* NULL: CSV */
	bool are_names; /* CSV: writes the names of the header; values are ignored and may be zeroed */
};

void fields_set_text(const struct fields *fields, const char *name, const char *text); /* NULL: none */
void fields_set_count(const struct fields *fields, const char *name, uint64_t count);

/* A cost row: CSV has cycles and match for each model, JSON the arrays "cycles" and "unknown". Names begin with
 * `prefix`. */
void fields_set_costs(const struct fields *fields, const char *prefix, const uint64_t *costs);

/* All of a node except its index, which only the CSV has. */
void fields_set_node(const struct fields *fields, const struct call_node *node, const struct call_function *function);

/* File, line and function. */
void fields_set_line(const struct fields *fields, const struct charge_row *row);

/* All of an allocation. */
void fields_set_memory(const struct fields *fields, const struct charge_memory *memory, const struct charge_row *row);

#endif
