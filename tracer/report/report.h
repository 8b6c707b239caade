/* Writes a profile, costed by some models, for people (text) or for tools (JSON, CSV).
 *
 * Pure functions of their arguments: the same profile and models give the same bytes, whatever the machine.
 */
#ifndef ITRACE_REPORT_REPORT_H
#define ITRACE_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "costmodels/model/model.h"
#include "profile/profile.h"
#include "source/text.h"

enum report_format {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_CSV,
	REPORT_HTML, /* one page with all there is: all regions, models and call trees */
	/* These show call trees; regions without one are left out. */
	REPORT_CALLGRIND,
	REPORT_FOLDED,
	REPORT_SPEEDSCOPE,
	N_REPORT_FORMATS,
};

/* What is shown of a region in place of the table. */
enum report_view {
	REPORT_VIEW_TABLE,
	REPORT_VIEW_TREE,    /* its call tree */
	REPORT_VIEW_CHARGES, /* what libraries cost, at the lines that asked for it */
	REPORT_VIEW_MEMORY,  /* what allocators handed out, at these lines */
};

struct report_options {
	enum report_format format;
	enum profile_group_by by;
	bool is_by_given; /* else a comparison shows forms, then functions */
	bool compare;	  /* the models with each other, instead of the rows of one with each other */
	enum report_view view;
	bool share_by_bytes; /* REPORT_VIEW_MEMORY: the cost of all allocators together is shared out by bytes */
	bool annotate;	     /* the source, line by line, in place of the table; not as CSV */
	size_t context;	     /* when annotating: lines around each line */
	bool insns;	     /* when annotating: the instructions below each line */
	const struct source_text *sources; /* when annotating, and for HTML: [profile->n_files], or NULL */
	size_t top;			   /* rows per table of the text, which sums up the others; 0: all */
	bool per_thread;		   /* what each thread has of a region follows it; else all together */
	const char *const *only_regions; /* [n_only_regions] names; none: all regions. Handlers go with their region */
	size_t n_only_regions;
	const char *const *user_modules; /* [n_user_modules] paths or names of files that are the user's, too */
	size_t n_user_modules;
	bool is_one_of_several; /* processes of one run: which one is told */
	unsigned width;		/* columns of the terminal, for text; 0: unlimited */
	bool color;		/* ANSI attributes, for text */
};

/* Whether call trees are shown. */
bool report_wants_calls(const struct report_options *options);

/* Writes the report on regions with at least one visit and names those without. The models are n_models >= 1; the first
 * one ranks. JSON is described by report.schema.json, compare.schema.json or
 * annotate.schema.json. The caller checks `out` for write errors. */
void report_write(FILE *out, const struct profile *profile, const struct model *const *models, size_t n_models,
		  const struct report_options *options);

/* One line of --trace for one executed instruction: address, symbol+offset, bytes, disassembly, at least two spaces
 * between them. */
void report_write_trace_line(FILE *out, const struct profile *profile, uint32_t insn);

#endif
