/* The rows of call trees and charges, described once for CSV and JSON: the members of a JSON object are the columns
 * of the CSV. Private to report/. */
#ifndef ITRACE_REPORT_FIELDS_H
#define ITRACE_REPORT_FIELDS_H

#include <jansson.h>

#include "report/writer.h"

/* The destination of fields: a JSON object, or a CSV line on report->out that already has a first field. */
struct fields {
	const struct report *report;
	json_t *object; /* NULL: CSV */
	bool is_header; /* CSV: writes the names of the columns and ignores the values, which may be zeroed */
};

void fields_set_text(const struct fields *fields, const char *name, const char *text); /* text may be NULL */
void fields_set_count(const struct fields *fields, const char *name, uint64_t count);

/* Sets the fields of a cost row. CSV: "cycles" and "match" for each model. JSON: the arrays "cycles" and "unknown". All
 * names begin with `prefix`. */
void fields_set_costs(const struct fields *fields, const char *prefix, const uint64_t *costs);

/* Sets the fields of a node, except the index, which only the CSV has. */
void fields_set_node(const struct fields *fields, const struct call_node *node, const struct call_function *function);

/* Sets file, line and function. */
void fields_set_line(const struct fields *fields, const struct charge_row *row);

/* Sets the fields of an allocation. */
void fields_set_memory(const struct fields *fields, const struct charge_memory *memory, const struct charge_row *row);

#endif
