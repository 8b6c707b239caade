/* The formats behind report_write(): each writes the same sections in its own way. Private to report/. */
#ifndef ITRACE_REPORT_FORMATS_H
#define ITRACE_REPORT_FORMATS_H

#include "report/sections.h"

struct report {
	FILE *out;
	const struct profile *profile;
	const struct model *const *models; /* [n_models] */
	size_t n_models;
	const struct report_options *options;
	const struct sections *sections;
};

void report_write_text(const struct report *report);
void report_write_json(const struct report *report);
void report_write_csv(const struct report *report);

/* What stands before a figure in the text, or for it. */
enum text_mark {
	MARK_NONE,
	MARK_FALLBACK, /* ~ */
	MARK_AT_LEAST, /* > */
	MARK_AT_MOST,  /* < */
	MARK_UNKNOWN,  /* ? */
	N_TEXT_MARKS,
};

/* The table of one region, for text. Sets marks_used[mark] for each one in it. */
void report_write_text_table(const struct report *report, const struct section *section, bool marks_used[N_TEXT_MARKS]);

#endif
