#include "analysis/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define PPM 1000000

/* The shares of a row are compared to a tenth of a percent, as reports show them: less is no change. */
#define MOVED_MIN_PPM 1000

static uint32_t share_ppm(mcyc_t mcyc, mcyc_t whole)
{
	return whole > 0 ? (uint32_t)(((__int128)mcyc * PPM + whole / 2) / whole) : 0;
}

static void set_place(struct compare_place *place, const struct profile_group *group, const struct estimate *estimate)
{
	place->mcyc = estimate_group_mcyc(estimate, group, &place->unknown);
	place->share_ppm = share_ppm(place->mcyc, estimate->ranked_mcyc);
}

/* A REP string instruction that was cut has iterations and no execution. */
static bool has_figure(const struct compare_place *place, const struct profile_group *group)
{
	return place->mcyc > 0 || place->unknown < group->executions || group->executions == 0;
}

static int compare_places(const void *left, const void *right)
{
	const struct compare_place *a = *(struct compare_place *const *)left;
	const struct compare_place *b = *(struct compare_place *const *)right;

	return a->mcyc < b->mcyc ? 1 : a->mcyc > b->mcyc ? -1 : 0;
}

static void rank_rows(const struct comparison *comparison, size_t model)
{
	size_t n_groups = comparison->groups.n_groups, n_ranked = 0;
	struct compare_place **ranked = xcalloc(n_groups, sizeof(struct compare_place *));

	for (size_t i = 0; i < n_groups; i++) {
		struct compare_place *place = &comparison->rows[i].places[model];

		if (has_figure(place, comparison->rows[i].group))
			ranked[n_ranked++] = place;
	}
	qsort(ranked, n_ranked, sizeof(struct compare_place *), compare_places);
	for (size_t i = 0; i < n_ranked; i++) {
		bool is_equal = i > 0 && ranked[i]->mcyc == ranked[i - 1]->mcyc;

		ranked[i]->rank = is_equal ? ranked[i - 1]->rank : (uint32_t)i + 1;
	}
	free(ranked);
}

static void find_flip(struct compare_row *row, size_t n_models)
{
	for (size_t low = 0; low < n_models; low++) {
		for (size_t high = 0; high < n_models; high++) {
			const struct compare_place *a = &row->places[low], *b = &row->places[high];

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
	const struct compare_row *a = left, *b = right;
	/* Rows that the first model has no figure for come last. */
	uint32_t a_rank = a->places[0].rank - 1, b_rank = b->places[0].rank - 1;
	int order;

	if (a->moved_ppm != b->moved_ppm)
		return a->moved_ppm < b->moved_ppm ? 1 : -1;
	if (a_rank != b_rank)
		return a_rank < b_rank ? -1 : 1;
	order = strcmp(a->group->name, b->group->name);
	return order ? order : a->group->module < b->group->module ? -1 : a->group->module > b->group->module;
}

void comparison_init(struct comparison *comparison, const struct profile *profile, uint32_t region,
		     enum profile_group_by by, const struct estimate *estimates, size_t n_models)
{
	size_t n_rows;

	*comparison = (struct comparison){.n_models = n_models};
	profile_group_init(&comparison->groups, profile, region, by);
	n_rows = comparison->groups.n_groups;
	comparison->rows = xcalloc(n_rows, sizeof(*comparison->rows));
	comparison->places = xcalloc(n_rows * n_models, sizeof(*comparison->places));
	for (size_t i = 0; i < n_rows; i++) {
		struct compare_row *row = &comparison->rows[i];

		row->group = &comparison->groups.groups[i];
		row->places = &comparison->places[i * n_models];
		for (size_t k = 0; k < n_models; k++)
			set_place(&row->places[k], row->group, &estimates[k]);
	}
	for (size_t k = 0; k < n_models; k++)
		rank_rows(comparison, k);
	for (size_t i = 0; i < n_rows; i++)
		find_flip(&comparison->rows[i], n_models);
	qsort(comparison->rows, n_rows, sizeof(*comparison->rows), compare_rows);
}

void comparison_deinit(struct comparison *comparison)
{
	profile_group_deinit(&comparison->groups);
	free(comparison->rows);
	free(comparison->places);
	*comparison = (struct comparison){0};
}
