/* The signs that stand before a figure in texts, or for it, and what they mean. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_MARKS_H
#define ITRACE_REPORT_TEXT_MARKS_H

#include "report/formats.h"
#include "report/text/layout.h"

enum text_mark mark_of_figure(struct figure figure);

/* Of a region's total: in the shares below it stands how much is a fallback. Marking every total would say nothing. */
enum text_mark mark_of_total(const struct estimate *estimate);

/* Of the ratio of a region's total to that on another model. */
enum text_mark mark_of_ratio(const struct estimate *estimate, const struct estimate *first);

/* Fills a cell of the table's last row with the text, and notes the mark in marks_used. */
void mark_set_cell(struct table *table, size_t column, enum text_mark mark, const char *text,
		   bool marks_used[N_TEXT_MARKS]);

/* A line that explains the marks used, if any. */
void marks_write_legend(const struct report *report, const bool marks_used[N_TEXT_MARKS]);

#endif
