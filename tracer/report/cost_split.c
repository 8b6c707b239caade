#include <stdlib.h>

#include "base/array.h"
#include "report/call_tree.h"

void cost_split_init(struct cost_split *split, const struct profile_region *region, const struct estimate *estimates,
		     size_t n_models)
{
	*split = (struct cost_split){.region = region, .estimates = estimates, .n_models = n_models};
	split->given = xcalloc(region->n_counts, sizeof(*split->given));
}

void cost_split_deinit(struct cost_split *split)
{
	free(split->given);
	*split = (struct cost_split){0};
}

/* whole * part / all, rounded down. */
static uint64_t scale(uint64_t whole, uint64_t part, uint64_t all)
{
	uint64_t product;

	if (__builtin_mul_overflow(whole, part, &product))
		return (uint64_t)((unsigned __int128)whole * part / all);
	return product / all;
}

void cost_split_add(struct cost_split *split, uint32_t insn, uint64_t executions, uint64_t *sums)
{
	uint64_t all = split->region->executions[insn], before = split->given[insn], after = before + executions;

	sums[0] += executions;
	for (size_t i = 0; i < split->n_models; i++) {
		uint64_t whole = (uint64_t)split->estimates[i].insn_mcyc[insn];

		/* The difference of two rounded sums: no rounding is lost from one part to the next. */
		if (executions == all)
			sums[1 + i] += whole;
		else
			sums[1 + i] += scale(whole, after, all) - scale(whole, before, all);
	}
	split->given[insn] = after;
}
