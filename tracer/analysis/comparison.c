#include "analysis/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

#define PPM 1000000

/* Reports show shares to a tenth of a percent: a smaller difference is no change. */
#define MOVED_MIN_PPM 1000

static uint32_t share_ppm(mcyc_t mcyc, mcyc_t whole)
{
	return whole > 0 ? (uint32_t)(((__int128)mcyc * PPM + whole / 2) / whole) : 0;
}

/* Returns true if a part of the group has a cost. An interrupted REP string instruction has iterations but no
 * execution. */
static bool has_cost(const struct comparison_rank *rank, const struct profile_group *group)
{
	return rank->mcyc > 0 || rank->unknown < group->executions || group->executions == 0;
}

static int compare_cycles(const void *left, const void *right)
{
	const struct comparison_rank *a = *(struct comparison_rank *const *)left,
				     *b = *(struct comparison_rank *const *)right;

	return ORDER(b->mcyc, a->mcyc);
}

static void rank_rows(const struct comparison *comparison, size_t model)
{
	size_t n_groups = comparison->groups.n_groups, n_ranked = 0;
	struct comparison_rank **ranked = xcalloc(n_groups, sizeof(struct comparison_rank *));

	for (size_t i = 0; i < n_groups; i++) {
		struct comparison_rank *rank = &comparison->rows[i].ranks[model];

		if (has_cost(rank, comparison->rows[i].group))
			ranked[n_ranked++] = rank;
	}
	qsort(ranked, n_ranked, sizeof(struct comparison_rank *), compare_cycles);
	for (size_t i = 0; i < n_ranked; i++) {
		bool is_equal = i > 0 && ranked[i]->mcyc == ranked[i - 1]->mcyc;

		ranked[i]->rank = is_equal ? ranked[i - 1]->rank : (uint32_t)i + 1;
	}
	free(ranked);
}

static void find_move(struct comparison_row *row, size_t n_models)
{
	for (size_t low = 0; low < n_models; low++) {
		for (size_t high = 0; high < n_models; high++) {
			const struct comparison_rank *a = &row->ranks[low], *b = &row->ranks[high];

			if (!a->rank || !b->rank || b->rank >= a->rank || b->share_ppm < a->share_ppm + MOVED_MIN_PPM ||
			    b->share_ppm - a->share_ppm <= row->moved_ppm)
				continue;
			row->low = low;
			row->high = high;
			row->moved_ppm = b->share_ppm - a->share_ppm;
		}
	}
}

static int compare_rows(const void *left, const void *right)
{
	const struct comparison_row *a = left, *b = right;
	/* Rows without a cost on the first model come last: rank 0 becomes UINT32_MAX. */
	uint32_t a_rank = a->ranks[0].rank - 1, b_rank = b->ranks[0].rank - 1;

	return ORDER(b->moved_ppm, a->moved_ppm)
		       ?: ORDER(a_rank, b_rank)
		       ?: strcmp(a->group->name, b->group->name)
		       ?: ORDER(a->group->module, b->group->module);
}

void comparison_init(struct comparison *comparison, const struct costed_region *costed, enum profile_group_by by)
{
	size_t n_rows, n_models = costed->n_models;

	*comparison = (struct comparison){.by = by};
	profile_group_init(&comparison->groups, costed->profile, costed->index, by);
	n_rows = comparison->groups.n_groups;
	comparison->rows = xcalloc(n_rows, sizeof(*comparison->rows));
	comparison->ranks = xcalloc(n_rows * n_models, sizeof(*comparison->ranks));
	for (size_t i = 0; i < n_rows; i++) {
		struct comparison_row *row = &comparison->rows[i];

		row->group = &comparison->groups.groups[i];
		row->ranks = &comparison->ranks[i * n_models];
		for (size_t k = 0; k < n_models; k++) {
			const struct estimate *estimate = &costed->estimates[k];

			row->ranks[k].mcyc = estimate_group_mcyc(estimate, row->group, &row->ranks[k].unknown);
			row->ranks[k].share_ppm = share_ppm(row->ranks[k].mcyc, estimate->total_mcyc);
		}
	}
	for (size_t k = 0; k < n_models; k++)
		rank_rows(comparison, k);
	for (size_t i = 0; i < n_rows; i++)
		find_move(&comparison->rows[i], n_models);
	qsort(comparison->rows, n_rows, sizeof(*comparison->rows), compare_rows);
}

void comparison_deinit(struct comparison *comparison)
{
	profile_group_deinit(&comparison->groups);
	free(comparison->rows);
	free(comparison->ranks);
	*comparison = (struct comparison){0};
}
