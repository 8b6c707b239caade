/* What the text of a report and that of a comparison have in common: sentences, put together from parts and written as
 * paragraphs. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_SENTENCES_H
#define ITRACE_REPORT_TEXT_SENTENCES_H

#include <stdio.h>

#include "analysis/coverage.h"
#include "report/formats.h"

struct sentence {
	FILE *stream;
	char *text;
	size_t n_bytes;
};

/* Returns the stream to print the parts to. sentence_end writes the paragraph, its first bold_bytes bold, and releases
 * all. */
FILE *sentence_begin(struct sentence *sentence);
void sentence_end(struct sentence *sentence, const struct report *report, size_t bold_bytes);

/* A whole one. */
void sentence_write(const struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a region did: "deflate: 1 visit, 1,852 instructions ...". */
void sentence_write_headline(const struct report *report, const struct section *section);

/* What must be known of models: one each. */
void sentence_write_notes(const struct report *report);

/* Parts. */
void sentence_print_name(FILE *out, const char *raw);
void sentence_print_count(FILE *out, uint64_t n, const char *noun);
void sentence_print_form(FILE *out, const struct coverage_form *form); /* and its executions, on one line */

#endif
