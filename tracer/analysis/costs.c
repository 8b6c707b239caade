#include "analysis/costs.h"

#include <stdlib.h>

#include "base/array.h"

static enum figure_kind kind_of(enum cost_match match)
{
	return match == COST_EXACT ? FIGURE_EXACT : match == COST_FALLBACK ? FIGURE_FALLBACK : FIGURE_UNKNOWN;
}

static enum figure_kind combine(enum figure_kind a, enum figure_kind b)
{
	enum figure_kind worst = a > b ? a : b;

	return worst == FIGURE_UNKNOWN && a != b ? FIGURE_PARTIAL : worst;
}

struct figure figure_add(struct figure a, struct figure b)
{
	return (struct figure){combine(a.kind, b.kind), a.mcyc + b.mcyc, a.unknown + b.unknown};
}

struct figure figure_of_group(const struct estimate *estimate, const struct profile_group *group)
{
	struct figure figure = {.kind = kind_of(estimate->costs[group->forms[0].form].match)};

	for (size_t i = 1; i < group->n_forms; i++)
		figure.kind = combine(figure.kind, kind_of(estimate->costs[group->forms[i].form].match));
	figure.mcyc = estimate_group_mcyc(estimate, group, &figure.unknown);
	return figure;
}

struct figure figure_of_insn(const struct costed_region *costed, size_t model, uint32_t insn)
{
	const struct estimate *estimate = &costed->estimates[model];
	enum figure_kind kind = kind_of(estimate->costs[costed->profile->insns[insn].form].match);

	return (struct figure){kind, estimate->insn_mcyc[insn],
			       kind == FIGURE_UNKNOWN ? costed->counts->executions[insn] : 0};
}

static struct figure figure_of_counts(mcyc_t mcyc, uint64_t executions, uint64_t unknown, uint64_t fallback)
{
	struct figure figure = {.mcyc = mcyc, .unknown = unknown};

	if (unknown > 0)
		figure.kind = unknown < executions ? FIGURE_PARTIAL : FIGURE_UNKNOWN;
	else if (fallback > 0)
		figure.kind = FIGURE_FALLBACK;
	return figure;
}

struct figure figure_of_region(const struct estimate *estimate)
{
	return figure_of_counts(estimate->ranked_mcyc, estimate->exact + estimate->fallback + estimate->unknown,
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

struct figure cost_figure(const uint64_t *costs, size_t n_models, size_t model)
{
	return figure_of_counts((mcyc_t)costs[COST_CYCLES + model], costs[COST_EXECUTIONS],
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
	*split = (struct cost_split){costed, xcalloc(costed->counts->n_counts, sizeof(*split->n_split))};
}

void cost_split_deinit(struct cost_split *split)
{
	free(split->n_split);
	*split = (struct cost_split){0};
}

void cost_split_add(struct cost_split *split, uint32_t insn, uint64_t executions, uint64_t *sums)
{
	const struct costed_region *costed = split->costed;
	uint64_t all = costed->counts->executions[insn], before = split->n_split[insn], after = before + executions;
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
