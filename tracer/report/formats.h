/* The formats behind report_write(): each writes the same sections in its own way. Private to report/. */
#ifndef ITRACE_REPORT_FORMATS_H
#define ITRACE_REPORT_FORMATS_H

#include "analysis/sections.h"

struct report {
	FILE *out;
	const struct profile *profile;
	const struct model *const *models; /* [n_models] */
	size_t n_models;
	const struct report_options *options;
	const struct sections *sections;
	char **short_paths; /* [profile->n_files] of source files, for texts; NULL where no group is of source */
};

void report_write_text(const struct report *report);
void report_write_json(const struct report *report);
void report_write_csv(const struct report *report);
void report_write_annotate_text(const struct report *report);
void report_write_annotate_json(const struct report *report);
void report_write_html(const struct report *report); /* compared or not */
void report_write_compare_text(const struct report *report);
void report_write_compare_json(const struct report *report);
void report_write_compare_csv(const struct report *report);
void report_write_callgrind(const struct report *report);
void report_write_folded(const struct report *report);
void report_write_speedscope(const struct report *report);

/* A field of a CSV line, quoted where necessary. */
void csv_write_field(FILE *out, const char *raw);

/* ",PREFIXmodel", of a header. */
void csv_write_model_field(const struct report *report, const char *prefix, size_t model);

/* ",CYCLES,MATCH": no cycles where nothing has a figure. */
void csv_write_figure(FILE *out, struct figure figure);

/* The columns that tell a section: the region, and if there are parts, its thread, and their header. A comma is yet to come. */
void csv_write_section_header(const struct report *report);
void csv_write_section(const struct report *report, const struct section *section);

/* The groupings that a comparison shows: the one that was asked for, or forms and functions. */
#define COMPARE_MAX_BY 2
size_t report_compare_by(const struct report_options *options, enum profile_group_by by[COMPARE_MAX_BY]);

/* What stands before a figure in the text, or for it. */
enum text_mark {
	MARK_NONE,
	MARK_FALLBACK, /* ~ */
	MARK_ABOUT,    /* ≈ (U+2248): two that are each a little too low, by each other */
	MARK_AT_LEAST, /* > */
	MARK_AT_MOST,  /* < */
	MARK_UNKNOWN,  /* ? */
	N_TEXT_MARKS,
};

/* The table of one region, for text. Sets marks_used[mark] for each one in it. */
void report_write_text_table(const struct report *report, const struct section *section, bool marks_used[N_TEXT_MARKS]);

/* Likewise, the call tree of one region in place of its table. Nothing without one. */
void report_write_text_tree(const struct report *report, const struct section *section, bool marks_used[N_TEXT_MARKS]);

/* Its costs by lines of the user's code, and its system calls. Nothing without a call tree. */
void report_write_text_charges(const struct report *report, const struct section *section,
			       bool marks_used[N_TEXT_MARKS]);

void report_write_csv_tree(const struct report *report);
void report_write_csv_charges(const struct report *report);
void report_write_csv_memory(const struct report *report);

/* The memory that lines of the user's code asked for. */
void report_write_text_memory(const struct report *report, const struct section *section,
			      bool marks_used[N_TEXT_MARKS]);

/* "name [module]", escaped for a terminal; to be freed. */
char *report_function_label(const struct profile *profile, const char *name, uint32_t module);

#endif
