/* Sentences that are printed part by part and written as paragraphs. Names need no escaping. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_SENTENCES_H
#define ITRACE_REPORT_TEXT_SENTENCES_H

#include <stdio.h>

#include "report/writer.h"

struct sentence {
	FILE *stream;
	char *text;
	size_t n_bytes;
};

/* Returns the stream for the parts. sentence_end() writes them as a paragraph, unless it is empty, and releases
 * everything. The first bold_bytes of the escaped text are bold. */
FILE *sentence_begin(struct sentence *sentence);
void sentence_end(struct sentence *sentence, const struct report *report, size_t bold_bytes);

/* A whole paragraph. */
void sentence_write(const struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "deflate: 1 visit, 1,852 instructions ..." */
void sentence_write_headline(const struct report *report, const struct region_analysis *region);

/* Names the three models on which most executions have no cost (COST_UNKNOWN) or the cost of a related form
 * (COST_FALLBACK), each with its most frequent form or rule. Writes nothing if there is none. */
void sentence_write_coverage(const struct report *report, const struct region_analysis *region, enum cost_match match);

/* If a model has no cost for AVX-512 functions of the C library, names the option that makes the library choose other
 * functions. */
void sentence_write_library(const struct report *report, const struct region_analysis *region);

void sentence_write_notes(const struct report *report); /* the notes of the models */

/* Parts. */
void sentence_print_count(FILE *out, uint64_t n, const char *noun);
void sentence_print_cycles(FILE *out, const char *cycles); /* "<1 cycle", "? cycles" */
/* " ADD r64, r64 (12), 3 more", each form on one line. */
void sentence_print_unknown_forms(FILE *out, const struct coverage *coverage);

#endif
