/* The rank of each group of a region's instructions on each model, and the models between which the rank changes
 * most. */
#ifndef ITRACE_ANALYSIS_COMPARISON_H
#define ITRACE_ANALYSIS_COMPARISON_H

#include "analysis/costs.h"

/* A group on one model. */
struct comparison_rank {
	mcyc_t mcyc;
	uint64_t unknown;   /* executions without a cost, which are not in mcyc */
	uint32_t rank;	    /* 1: the most cycles; equal cycles have one rank. 0: no part of the group has a cost */
	uint32_t share_ppm; /* of the region's cycles on the model, in millionths */
};

struct comparison_row {
	const struct profile_group *group;
	struct comparison_rank *ranks; /* [n_models] */
	/* The two models between which the group's share changes most while its rank changes, too. The group ranks
	 * higher on `high`. */
	size_t low, high;
	uint32_t moved_ppm; /* difference of the two shares; 0: no such models */
};

struct comparison {
	enum profile_group_by by;
	struct profile_groups groups;
	/* [groups.n_groups] by descending moved_ppm, then by rank on the first model, then by name */
	struct comparison_row *rows;
	struct comparison_rank *ranks;
};

/* The result borrows the profile. */
void comparison_init(struct comparison *comparison, const struct costed_region *costed, enum profile_group_by by);
void comparison_deinit(struct comparison *comparison);

#endif
