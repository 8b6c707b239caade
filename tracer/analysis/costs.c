#include "analysis/costs.h"

#include <stdlib.h>

#include "base/array.h"

static enum cycle_sum_kind kind_of(enum cost_match match)
{
	return match == COST_EXACT ? CYCLE_SUM_EXACT : match == COST_FALLBACK ? CYCLE_SUM_FALLBACK : CYCLE_SUM_UNKNOWN;
}

static enum cycle_sum_kind combine(enum cycle_sum_kind a, enum cycle_sum_kind b)
{
	enum cycle_sum_kind worst = a > b ? a : b;

	return worst == CYCLE_SUM_UNKNOWN && a != b ? CYCLE_SUM_PARTIAL : worst;
}

struct cycle_sum cycle_sum_add(struct cycle_sum a, struct cycle_sum b)
{
	return (struct cycle_sum){combine(a.kind, b.kind), a.mcyc + b.mcyc, a.unknown + b.unknown};
}

struct cycle_sum cycle_sum_of_group(const struct estimate *estimate, const struct profile_group *group)
{
	struct cycle_sum sum = {.kind = kind_of(estimate->costs[group->forms[0].form].match)};

	for (size_t i = 1; i < group->n_forms; i++)
		sum.kind = combine(sum.kind, kind_of(estimate->costs[group->forms[i].form].match));
	sum.mcyc = estimate_group_mcyc(estimate, group, &sum.unknown);
	return sum;
}

struct cycle_sum cycle_sum_of_insn(const struct costed_region *costed, size_t model, uint32_t insn)
{
	const struct estimate *estimate = &costed->estimates[model];
	enum cycle_sum_kind kind = kind_of(estimate->costs[costed->profile->insns[insn].form].match);

	return (struct cycle_sum){kind, estimate->insn_mcyc[insn],
				  kind == CYCLE_SUM_UNKNOWN ? costed->region->executions[insn] : 0};
}

static struct cycle_sum cycle_sum_of_counts(mcyc_t mcyc, uint64_t executions, uint64_t unknown, uint64_t fallback)
{
	struct cycle_sum sum = {.mcyc = mcyc, .unknown = unknown};

	if (unknown > 0)
		sum.kind = unknown < executions ? CYCLE_SUM_PARTIAL : CYCLE_SUM_UNKNOWN;
	else if (fallback > 0)
		sum.kind = CYCLE_SUM_FALLBACK;
	return sum;
}

struct cycle_sum cycle_sum_of_region(const struct estimate *estimate)
{
	return cycle_sum_of_counts(estimate->total_mcyc, estimate->exact + estimate->fallback + estimate->unknown,
				   estimate->unknown, estimate->fallback);
}

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

struct cycle_sum cost_cycle_sum(const uint64_t *costs, size_t n_models, size_t model)
{
	return cycle_sum_of_counts((mcyc_t)costs[COST_CYCLES + model], costs[COST_EXECUTIONS],
				   cost_unknown(costs, n_models, model), cost_fallback(costs, n_models, model));
}

uint64_t cost_part(uint64_t whole, uint64_t part, uint64_t all)
{
	uint64_t product;

	if (__builtin_mul_overflow(whole, part, &product))
		return (uint64_t)((unsigned __int128)whole * part / all);
	return product / all;
}

void cost_split_init(struct cost_split *split, const struct costed_region *costed)
{
	*split = (struct cost_split){costed, xcalloc(costed->region->n_counts, sizeof(*split->n_split))};
}

void cost_split_deinit(struct cost_split *split)
{
	free(split->n_split);
	*split = (struct cost_split){0};
}

void cost_split_add(struct cost_split *split, uint32_t insn, uint64_t executions, uint64_t *sums)
{
	const struct costed_region *costed = split->costed;
	uint64_t all = costed->region->executions[insn], before = split->n_split[insn], after = before + executions;
	uint32_t form = costed->profile->insns[insn].form;
	size_t n_models = costed->n_models;

	sums[COST_EXECUTIONS] += executions;
	for (size_t i = 0; i < n_models; i++) {
		uint64_t whole = (uint64_t)costed->estimates[i].insn_mcyc[insn];
		enum cost_match match = costed->estimates[i].costs[form].match;

		/* A part is the difference of two rounded sums, so that rounding errors do not add up. */
		if (executions == all)
			sums[COST_CYCLES + i] += whole;
		else
			sums[COST_CYCLES + i] += cost_part(whole, after, all) - cost_part(whole, before, all);
		sums[1 + n_models + i] += match == COST_UNKNOWN ? executions : 0;
		sums[1 + 2 * n_models + i] += match == COST_FALLBACK ? executions : 0;
	}
	split->n_split[insn] = after;
}
