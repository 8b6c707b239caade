/* The groups of a region's instructions, sorted by cost. */
#ifndef ITRACE_ANALYSIS_RANKING_H
#define ITRACE_ANALYSIS_RANKING_H

#include "analysis/costs.h"

struct ranking_row {
	const struct profile_group *group;
	struct cycle_sum sum; /* on the first model */
};

struct ranking {
	struct profile_groups groups;
	/* [groups.n_groups] by descending cost on the first model. Groups without a cost follow, by descending
	 * executions. */
	struct ranking_row *rows;
};

/* The result borrows the profile. */
void ranking_init(struct ranking *ranking, const struct costed_region *costed, enum profile_group_by by);
void ranking_deinit(struct ranking *ranking);

#endif
