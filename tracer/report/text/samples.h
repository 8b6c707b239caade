/* What the parts of the text on samples share. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_SAMPLES_H
#define ITRACE_REPORT_TEXT_SAMPLES_H

#include "report/sample_report.h"
#include "report/text/layout.h"

struct sample_writer {
	FILE *out;
	const struct sample_report *report;
	const struct report_options *options;
};

/* Sets a cell to 100 times the share, with one decimal. */
void sample_text_percent(struct table *table, size_t column, double share, bool with_sign);

/* 0 of nothing. */
double sample_text_share(uint64_t part, uint64_t whole);

/* A row's name for people, to be freed. */
char *sample_text_label(const struct sample_writer *writer, const char *name, const char *module, bool is_unnamed);
void sample_text_row(const struct sample_writer *writer, struct table *table, const struct sample_row *row);

/* How many of n_rows rows --top allows. */
size_t sample_text_rows_shown(const struct sample_writer *writer, size_t n_rows);

void sample_text_paragraph(const struct sample_writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void sample_text_write_verdict(const struct sample_writer *writer);
void sample_text_write_check(const struct sample_writer *writer);

#endif
