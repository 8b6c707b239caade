/* A region's places, lines of source and instructions without lines, cut into the excerpts that an annotation shows. Private to
 * report/. */
#ifndef ITRACE_ANALYSIS_ANNOTATION_H
#define ITRACE_ANALYSIS_ANNOTATION_H

#include "report/formats.h"

/* A line with all its instructions, or one instruction of which no line is known. */
struct annotate_place {
	uint32_t file;	       /* index; PROFILE_NONE: an instruction */
	uint32_t line;	       /* or 0 */
	uint32_t insn;	       /* the first one, or the only one */
	const uint32_t *insns; /* [n_insns] */
	size_t n_insns;
	uint64_t executions, iterations;
	struct figure *figures; /* [n_models] */
	bool is_top;		/* among the most expensive ones */
};

/* Neighbouring places that are shown together. */
struct annotate_excerpt {
	size_t first, n_places;
	uint32_t first_line, last_line; /* of a file, without regard to its end */
	size_t top;			/* index of the most expensive place */
	uint64_t executions;
	struct figure *figures; /* [n_models] */
};

struct annotation {
	struct profile_groups groups;
	size_t n_models;
	struct annotate_place *places; /* lines by file and number, then instructions by module, function and address */
	size_t n_places, places_capacity;
	struct figure *figures;		   /* [n_places][n_models] */
	struct annotate_excerpt *excerpts; /* by descending cost on the first model */
	size_t n_excerpts, excerpts_capacity;
	/* What no excerpt shows. */
	size_t n_rest;
	uint64_t rest_executions;
	struct figure *rest; /* [n_models] */
};

/* Excerpts hold the options' `top` most expensive places and `context` lines or instructions around each. */
void annotation_init(struct annotation *annotation, const struct report *report, const struct section *section);
void annotation_deinit(struct annotation *annotation);

/* Of some executions of one instruction. */
struct figure annotate_insn_figure(const struct estimate *estimate, const struct profile *profile, uint32_t insn);

#endif
