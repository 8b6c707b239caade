/* Shared by samples.c and samples_verdict.c. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_SAMPLES_H
#define ITRACE_REPORT_TEXT_SAMPLES_H

#include "report/writer.h"
#include "report/text/layout.h"

/* Sets a cell to a share in percent, with one decimal. */
void sample_text_percent(struct table *table, size_t column, double share, bool with_sign);

/* Sets the label of the table's last row. */
void sample_text_label(const struct report *report, struct table *table, const struct sample_row *row);

/* Ends a table that does not show n_more further rows. */
void sample_text_end_table(const struct report *report, struct table *table, size_t n_more);

void sample_text_write_verdict(const struct report *report);
void sample_text_write_check(const struct report *report);

#endif
