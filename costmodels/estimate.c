#include "costmodels/estimate.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

static void add_mcyc(mcyc_t *sum, mcyc_t mcyc)
{
	bool overflow = __builtin_add_overflow(*sum, mcyc, sum);

	assert(!overflow);
}

static void add_count(uint64_t *sum, uint64_t count)
{
	bool overflow = __builtin_add_overflow(*sum, count, sum);

	assert(!overflow);
}

static uint64_t *count_of_match(struct estimate *estimate, enum cost_match match)
{
	switch (match) {
	case COST_EXACT:
		return &estimate->exact;
	case COST_FALLBACK:
		return &estimate->fallback;
	default:
		return &estimate->unknown;
	}
}

void estimate_region_init(struct estimate *estimate, const struct model *model, const struct profile *profile,
			  uint32_t region)
{
	const struct profile_region *counts = &profile->regions[region];

	*estimate = (struct estimate){.model = model, .estimator = "table", .n_forms = profile->n_forms};
	estimate->costs = xcalloc(profile->n_forms, sizeof(*estimate->costs));
	for (size_t i = 0; i < profile->n_forms; i++)
		model_lookup(model, profile->forms[i].form.text, &estimate->costs[i]);

	for (size_t i = 0; i < counts->n_counts; i++) {
		const struct cost *cost = &estimate->costs[profile->insns[i].form];
		uint64_t executions = counts->executions[i], iterations = counts->iterations[i];

		add_count(count_of_match(estimate, cost->match), executions);
		add_mcyc(&estimate->latency_mcyc, cost_total_mcyc(cost, COST_LATENCY, executions, iterations));
		add_mcyc(&estimate->throughput_mcyc,
			 cost_total_mcyc(cost, COST_RECIPROCAL_THROUGHPUT, executions, iterations));
	}
	estimate->ranked_mcyc = model_rank(model) == COST_LATENCY ? estimate->latency_mcyc : estimate->throughput_mcyc;
	estimate->time_ns = model_time_ns(model, estimate->ranked_mcyc);
}

void estimate_region_deinit(struct estimate *estimate)
{
	free(estimate->costs);
	*estimate = (struct estimate){0};
}

mcyc_t estimate_group_mcyc(const struct estimate *estimate, const struct profile_group *group,
			   uint64_t *unknown_executions)
{
	enum cost_column column = model_rank(estimate->model);
	uint64_t unknown = 0;
	mcyc_t sum = 0;

	for (size_t i = 0; i < group->n_parts; i++) {
		const struct profile_group_part *part = &group->parts[i];
		const struct cost *cost = &estimate->costs[part->form];

		if (cost->match == COST_UNKNOWN)
			add_count(&unknown, part->executions);
		add_mcyc(&sum, cost_total_mcyc(cost, column, part->executions, part->iterations));
	}
	if (unknown_executions)
		*unknown_executions = unknown;
	return sum;
}
