/* The contents and the format of a report. */
#ifndef ITRACE_REPORT_OPTIONS_H
#define ITRACE_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/group.h"
#include "source/text.h"

/* formats.c has a row for each. */
enum report_format {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_CSV,
	REPORT_HTML, /* one page with all regions, models and call trees */
	/* These formats show call trees and omit regions without a call tree. */
	REPORT_CALLGRIND,
	REPORT_FOLDED,
	REPORT_SPEEDSCOPE,
	N_REPORT_FORMATS,
};

/* The table of each region. */
enum report_view {
	REPORT_VIEW_TABLE,   /* groups by cost */
	REPORT_VIEW_TREE,    /* the call tree */
	REPORT_VIEW_CHARGES, /* charge-back: library costs at the calling lines */
	REPORT_VIEW_MEMORY,  /* charge-back: allocations at the calling lines */
};

struct report_options {
	enum report_format format;
	enum profile_group_by by;
	bool is_by_given; /* false: a comparison is by form, then by function */
	bool compare;	  /* compares the models with each other */
	enum report_view view;
	bool share_by_bytes;	       /* for REPORT_VIEW_MEMORY: see struct charge_options */
	bool annotate;		       /* shows the source line by line instead of the table; text or JSON */
	size_t context;		       /* when annotating: see struct annotation_options */
	bool insns;		       /* when annotating: shows the instructions below each line */
	bool only_own;		       /* when annotating: see struct annotation_options */
	const char *const *file_globs; /* [n_file_globs] when annotating: see struct annotation_options */
	size_t n_file_globs;
	const struct source_text *sources; /* when annotating, and for HTML: [profile->n_files], or NULL */
	size_t top;			   /* rows per table of the text; one more row sums up the others; 0: all */
	bool per_thread;		   /* see struct analysis_request */
	const char *const *only_regions;   /* [n_only_regions] see struct analysis_request */
	size_t n_only_regions;
	const char *const *user_modules; /* [n_user_modules] see struct charge_options */
	size_t n_user_modules;
	bool is_one_of_several; /* JSON states the ID of the process, which is one of several */
	unsigned width;		/* columns of the terminal, for text; 0: unlimited */
	bool color;		/* ANSI attributes, for text */
	bool is_ascii;		/* text has only ASCII characters */
};

#endif
