/* A region's cost by source line, and the excerpts of the source that a report shows. An instruction without a line
 * is a line by itself. */
#ifndef ITRACE_ANALYSIS_ANNOTATION_H
#define ITRACE_ANALYSIS_ANNOTATION_H

#include "analysis/costs.h"

/* A source line with all its instructions, or one instruction without a line. */
struct annotation_line {
	uint32_t file;	       /* index; PROFILE_NONE: an instruction */
	uint32_t line;	       /* line number; 0: an instruction */
	const uint32_t *insns; /* [n_insns] at least one */
	size_t n_insns;
	uint64_t runs;			 /* as in struct profile_group */
	uint64_t executions, iterations; /* sums over its instructions; iterations: of REP */
	struct cycle_sum *sums;		 /* [n_models] */
	bool is_own;			 /* in a source file of the user's code (user_code.h) */
	bool is_selected;		 /* by the options */
	bool is_top; /* among the first annotation_options.top selected lines, ordered by is_own, then by cost */
};

/* Neighbouring lines that are shown together. */
struct annotation_excerpt {
	size_t first, n_lines;		/* in annotation.lines, which has only executed lines */
	uint32_t first_line, last_line; /* lines to show; the file may end earlier */
	size_t top;			/* index of the excerpt's most expensive line */
	bool is_own;			/* is_own of lines[top] */
	uint64_t executions;
	struct cycle_sum *sums; /* [n_models] */
};

struct annotation {
	struct profile_groups groups;
	size_t n_models;
	struct annotation_line *lines; /* by file and line, then instructions by module, function and address */
	size_t n_lines, lines_capacity;
	struct cycle_sum *sums;		     /* [n_lines][n_models] */
	struct annotation_excerpt *excerpts; /* is_own first, then by descending cost on the first model */
	size_t n_excerpts, excerpts_capacity;
	size_t n_selected; /* lines with is_selected */
	/* Lines that are in no excerpt. */
	size_t n_rest;
	uint64_t rest_executions;
	struct cycle_sum *rest; /* [n_models] */
};

struct annotation_options {
	size_t top;	/* number of lines that get an excerpt, the most important first; 0: all */
	size_t context; /* number of lines, or instructions, shown before and after each of these lines */
	bool only_own;	/* only lines with is_own */
	/* [n_file_globs] only lines in files whose path, or its part after any '/', matches a glob; none: all files */
	const char *const *file_globs;
	size_t n_file_globs;
};

/* Each line with is_top is in an excerpt, with its context. The result borrows the profile. */
void annotation_init(struct annotation *annotation, const struct costed_region *costed,
		     const struct annotation_options *options);
void annotation_deinit(struct annotation *annotation);

#endif
