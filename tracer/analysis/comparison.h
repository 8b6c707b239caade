/* Which parts of a region cost much on one CPU and little on another: the place of each row in the ranking of each model.
 */
#ifndef ITRACE_ANALYSIS_COMPARISON_H
#define ITRACE_ANALYSIS_COMPARISON_H

#include "costmodels/estimators/estimate.h"
#include "profile/profile.h"

/* A row on one model. */
struct compare_place {
	mcyc_t mcyc;
	uint64_t unknown;   /* executions without a figure, which are not in mcyc */
	uint32_t rank;	    /* 1: the most cycles; equal cycles share a rank. 0: nothing of the row has a figure */
	uint32_t share_ppm; /* of the region's cycles on the model, in millionths */
};

struct compare_row {
	const struct profile_group *group;
	struct compare_place *places; /* [n_models] */
	/* The flip that matters most: of all pairs of models between which the row changes place, that with the largest
	 * difference in its share. It ranks higher on `high`, and moved_ppm is the difference; 0: it keeps its place. */
	size_t low, high;
	uint32_t moved_ppm;
};

struct comparison {
	struct profile_groups groups;
	struct compare_row
		*rows; /* [groups.n_groups] by descending moved_ppm, then by rank on the first model, then by name */
	struct compare_place *places;
	size_t n_models;
};

/* estimates[n_models] are of this region. The result borrows the profile. */
void comparison_init(struct comparison *comparison, const struct profile *profile, uint32_t region,
		     enum profile_group_by by, const struct estimate *estimates, size_t n_models);
void comparison_deinit(struct comparison *comparison);

#endif
