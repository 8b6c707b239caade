#include "analysis/cost_split.h"

#include <stdlib.h>

#include "base/array.h"

size_t cost_width(size_t n_models)
{
	return 1 + 3 * n_models;
}

void cost_add(uint64_t *sums, const uint64_t *costs, size_t n_models)
{
	for (size_t i = 0; i < cost_width(n_models); i++)
		sums[i] += costs[i];
}

uint64_t cost_unknown(const uint64_t *costs, size_t n_models, size_t model)
{
	return costs[1 + n_models + model];
}

uint64_t cost_fallback(const uint64_t *costs, size_t n_models, size_t model)
{
	return costs[1 + 2 * n_models + model];
}

struct figure cost_figure(const uint64_t *costs, size_t n_models, size_t model)
{
	return figure_of_counts((mcyc_t)costs[COST_CYCLES + model], costs[COST_EXECUTIONS],
				cost_unknown(costs, n_models, model), cost_fallback(costs, n_models, model));
}

void cost_split_init(struct cost_split *split, const struct profile *profile, const struct profile_region *region,
		     const struct estimate *estimates, size_t n_models)
{
	*split =
		(struct cost_split){.profile = profile, .region = region, .estimates = estimates, .n_models = n_models};
	split->given = xcalloc(region->n_counts, sizeof(*split->given));
}

void cost_split_deinit(struct cost_split *split)
{
	free(split->given);
	*split = (struct cost_split){0};
}

uint64_t cost_part(uint64_t whole, uint64_t part, uint64_t all)
{
	uint64_t product;

	if (__builtin_mul_overflow(whole, part, &product))
		return (uint64_t)((unsigned __int128)whole * part / all);
	return product / all;
}

void cost_split_add(struct cost_split *split, uint32_t insn, uint64_t executions, uint64_t *sums)
{
	uint64_t all = split->region->executions[insn], before = split->given[insn], after = before + executions;
	uint32_t form = split->profile->insns[insn].form;
	size_t n_models = split->n_models;

	sums[COST_EXECUTIONS] += executions;
	for (size_t i = 0; i < n_models; i++) {
		uint64_t whole = (uint64_t)split->estimates[i].insn_mcyc[insn];
		enum cost_match match = split->estimates[i].costs[form].match;

		/* The difference of two rounded sums: no rounding is lost from one part to the next. */
		if (executions == all)
			sums[COST_CYCLES + i] += whole;
		else
			sums[COST_CYCLES + i] += cost_part(whole, after, all) - cost_part(whole, before, all);
		sums[1 + n_models + i] += match == COST_UNKNOWN ? executions : 0;
		sums[1 + 2 * n_models + i] += match == COST_FALLBACK ? executions : 0;
	}
	split->given[insn] = after;
}
