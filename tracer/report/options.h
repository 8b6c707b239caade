/* The contents and the format of a report. */
#ifndef ITRACE_REPORT_OPTIONS_H
#define ITRACE_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/group.h"
#include "source/text.h"

/* Each has a row in formats.c. */
enum report_format {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_CSV,
	REPORT_HTML, /* one page with all regions, models and call trees */
	/* These show call trees and leave out regions without one. */
	REPORT_CALLGRIND,
	REPORT_FOLDED,
	REPORT_SPEEDSCOPE,
	N_REPORT_FORMATS,
};

/* The table of each region. */
enum report_view {
	REPORT_VIEW_TABLE,   /* its groups by cost */
	REPORT_VIEW_TREE,    /* its call tree */
	REPORT_VIEW_CHARGES, /* library costs at the lines that asked for them */
	REPORT_VIEW_MEMORY,  /* allocations at the lines that asked for them */
};

struct report_options {
	enum report_format format;
	enum profile_group_by by;
	bool is_by_given; /* without it a comparison is by form, then by function */
	bool compare;	  /* compare the models with each other */
	enum report_view view;
	bool share_by_bytes;	       /* for REPORT_VIEW_MEMORY: see struct charge_options */
	bool annotate;		       /* the source line by line in place of the table; as text or JSON */
	size_t context;		       /* when annotating: lines around each line */
	bool insns;		       /* when annotating: the instructions below each line */
	bool only_own;		       /* when annotating: see struct annotation_options */
	const char *const *file_globs; /* [n_file_globs] likewise */
	size_t n_file_globs;
	const struct source_text *sources; /* when annotating, and for HTML: [profile->n_files], or NULL */
	size_t top;			   /* rows per table of the text, which adds up the others; 0: all */
	bool per_thread;		   /* each region is followed by those of its threads */
	const char *const *only_regions;   /* [n_only_regions] names; none: all. Signal handlers go with their region */
	size_t n_only_regions;
	const char *const *user_modules; /* [n_user_modules] see struct charge_options */
	size_t n_user_modules;
	bool is_one_of_several; /* one of several processes: its ID is written */
	unsigned width;		/* columns of the terminal, for text; 0: unlimited */
	bool color;		/* ANSI attributes, for text */
	bool is_ascii;		/* no other characters, for text */
};

#endif
