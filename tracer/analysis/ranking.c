#include "analysis/ranking.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

/* Names break ties, because the order of the instructions in the profile may differ from run to run. */
static int compare_rows(const void *left, const void *right)
{
	const struct ranking_row *a = left, *b = right;

	return ORDER(a->sum.kind == CYCLE_SUM_UNKNOWN, b->sum.kind == CYCLE_SUM_UNKNOWN)
		       ?: ORDER(b->sum.mcyc, a->sum.mcyc)
		       ?: ORDER(b->group->executions, a->group->executions)
		       ?: strcmp(a->group->name, b->group->name)
		       ?: ORDER(a->group->module, b->group->module);
}

void ranking_init(struct ranking *ranking, const struct costed_region *costed, enum profile_group_by by)
{
	profile_group_init(&ranking->groups, costed->profile, costed->index, by);
	ranking->rows = xcalloc(ranking->groups.n_groups, sizeof(*ranking->rows));
	for (size_t i = 0; i < ranking->groups.n_groups; i++) {
		const struct profile_group *group = &ranking->groups.groups[i];

		ranking->rows[i] = (struct ranking_row){group, cycle_sum_of_group(&costed->estimates[0], group)};
	}
	qsort(ranking->rows, ranking->groups.n_groups, sizeof(*ranking->rows), compare_rows);
}

void ranking_deinit(struct ranking *ranking)
{
	profile_group_deinit(&ranking->groups);
	free(ranking->rows);
	*ranking = (struct ranking){0};
}
