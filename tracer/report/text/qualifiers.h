/* The sign before or in place of a figure that tells how reliable the figure is. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_QUALIFIERS_H
#define ITRACE_REPORT_TEXT_QUALIFIERS_H

#include "report/writer.h"
#include "report/text/layout.h"

enum qualifier {
	QUALIFIER_NONE,
	QUALIFIER_FALLBACK, /* ~ */
	QUALIFIER_MAPPED,   /* =, before the instructions of another machine that give the cost of a form */
	QUALIFIER_ABOUT,    /* ≈ (U+2248), in ASCII ~=: a ratio of totals in which few executions lack a cost */
	QUALIFIER_AT_LEAST, /* > */
	QUALIFIER_AT_MOST,  /* < */
	QUALIFIER_UNKNOWN,  /* ? in place of the figure */
	N_QUALIFIERS,
};

/* The signs that the legend explains. */
struct qualifiers_used {
	bool used[N_QUALIFIERS];
	uint64_t about_ppm; /* of ratios with QUALIFIER_ABOUT: the largest share of executions without a cost */
};

enum qualifier qualifier_of_cycle_sum(struct cycle_sum sum);

/* A region's total has no sign for a fallback, because most totals would have it. The row "~ fallback" shows the share
 * of the fallbacks. */
enum qualifier qualifier_of_total(const struct estimate *estimate);

/* Fills a cell of the table's last row with the ratio of a region's total to the first model's total. */
void qualifier_set_ratio(const struct report *report, struct table *table, size_t column,
			 const struct estimate *estimate, const struct estimate *first);

/* Fills a cell of the table's last row, and marks the qualifier as used. */
void qualifier_set_cell(const struct report *report, struct table *table, size_t column, enum qualifier qualifier,
			const char *text);

/* Returns " ~ ROW" or " = ROW" if another ROW of the model's table gives a form's cost, else "". Marks the qualifier as
 * used. The caller frees the result. */
char *qualifier_via(const struct report *report, size_t model, const struct cost *cost, const char *form_text);

/* Explains the qualifiers that were used, if any. */
void qualifiers_write_legend(const struct report *report);

#endif
