#include "costmodels/estimators/estimate.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "costmodels/estimators/estimate_private.h"
#include "costmodels/estimators/pipeline/region/region.h"

void estimate_add_mcyc(mcyc_t *sum, mcyc_t mcyc)
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

/* Other estimators keep these sums and overwrite insn_mcyc afterwards. */
static void estimate_table(struct estimate *estimate, const struct profile *profile, uint32_t region)
{
	const struct profile_region *profiled = &profile->regions[region];
	bool is_by_latency = model_ranking_column(estimate->model) == COST_LATENCY;

	for (size_t i = 0; i < profiled->n_counts; i++) {
		const struct cost *cost = &estimate->costs[profile->insns[i].form];
		uint64_t executions = profiled->executions[i], iterations = profiled->iterations[i];
		mcyc_t latency = cost_total_mcyc(cost, COST_LATENCY, executions, iterations);
		mcyc_t throughput = cost_total_mcyc(cost, COST_RECIPROCAL_THROUGHPUT, executions, iterations);

		add_count(count_of_match(estimate, cost->match), executions);
		estimate_add_mcyc(&estimate->latency_mcyc, latency);
		estimate_add_mcyc(&estimate->throughput_mcyc, throughput);
		estimate->insn_mcyc[i] = is_by_latency ? latency : throughput;
	}
}

void estimate_region_init(struct estimate *estimate, const struct model *model, const struct profile *profile,
			  uint32_t region)
{
	*estimate = (struct estimate){.model = model, .estimator = "table", .n_forms = profile->n_forms};
	estimate->costs = xcalloc(profile->n_forms, sizeof(*estimate->costs));
	for (size_t i = 0; i < profile->n_forms; i++)
		model_lookup(model, profile->forms[i].form.text, &estimate->costs[i]);
	estimate->n_insns = profile->regions[region].n_counts;
	estimate->insn_mcyc = xcalloc(estimate->n_insns, sizeof(*estimate->insn_mcyc));

	estimate_table(estimate, profile, region);
	if (model_estimator(model) == ESTIMATOR_PAIRING)
		estimate_pairing(estimate, profile, region);
	else
		estimate_pipeline(estimate, profile, region);
	for (size_t i = 0; i < estimate->n_insns; i++)
		estimate_add_mcyc(&estimate->total_mcyc, estimate->insn_mcyc[i]);
	estimate->time_ns = model_time_ns(model, estimate->total_mcyc);
}

void estimate_region_deinit(struct estimate *estimate)
{
	free(estimate->costs);
	free(estimate->insn_mcyc);
	if (estimate->pipeline)
		region_cycles_deinit(estimate->pipeline);
	free(estimate->pipeline);
	free(estimate->problem);
	*estimate = (struct estimate){0};
}

mcyc_t estimate_group_mcyc(const struct estimate *estimate, const struct profile_group *group,
			   uint64_t *unknown_executions)
{
	uint64_t unknown = 0;
	mcyc_t sum = 0;

	for (size_t i = 0; i < group->n_insns; i++)
		estimate_add_mcyc(&sum, estimate->insn_mcyc[group->insns[i]]);
	for (size_t i = 0; i < group->n_forms; i++)
		if (estimate->costs[group->forms[i].form].match == COST_UNKNOWN)
			add_count(&unknown, group->forms[i].executions);
	if (unknown_executions)
		*unknown_executions = unknown;
	return sum;
}
