/* The sign before a figure, or in place of it, that says how far the figure can be trusted. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_QUALIFIERS_H
#define ITRACE_REPORT_TEXT_QUALIFIERS_H

#include "report/writer.h"
#include "report/text/layout.h"

enum qualifier {
	QUALIFIER_NONE,
	QUALIFIER_FALLBACK, /* ~ */
	QUALIFIER_MAPPED,   /* =, between a form and the instructions of another machine that its cost is that of */
	QUALIFIER_ABOUT,    /* ≈ (U+2248), in ASCII ~=: the ratio of two totals that lack little */
	QUALIFIER_AT_LEAST, /* > */
	QUALIFIER_AT_MOST,  /* < */
	QUALIFIER_UNKNOWN,  /* ? in place of the figure */
	N_QUALIFIERS,
};

/* What the legend must explain. */
struct qualifiers_used {
	bool used[N_QUALIFIERS];
	uint64_t
		about_ppm; /* the largest share of the executions without a cost in a ratio marked as QUALIFIER_ABOUT */
};

enum qualifier qualifier_of_figure(struct figure figure);

/* A region's total has no sign for a fallback: most totals would have it, and the rows and shares below say how much
 * it is. */
enum qualifier qualifier_of_total(const struct estimate *estimate);

/* Fills a cell of the table's last row with the ratio of a region's total to the first model's total. */
void qualifier_set_ratio(const struct report *report, struct table *table, size_t column,
			 const struct estimate *estimate, const struct estimate *first);

/* Fills a cell of the table's last row, and marks the qualifier as used. */
void qualifier_set_cell(const struct report *report, struct table *table, size_t column, enum qualifier qualifier,
			const char *text);

/* " ~ " or " = " and the row of a model's table that a form's cost is taken from; "" if that is the form's own. Marks
 * the qualifier as used. To be freed. */
char *qualifier_via(const struct report *report, size_t model, const struct cost *cost, const char *form_text);

/* Explains the qualifiers that were used, if any. */
void qualifiers_write_legend(const struct report *report);

#endif
