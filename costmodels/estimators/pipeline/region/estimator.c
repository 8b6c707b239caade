/* The `pipeline` estimator for a region whose profile has paths. */
#include <stdlib.h>

#include "base/array.h"
#include "costmodels/estimators/estimate_private.h"
#include "costmodels/estimators/pipeline/pipeline.h"
#include "costmodels/estimators/pipeline/region/region.h"

bool estimate_pipeline(struct estimate *estimate, const struct profile *profile, uint32_t region)
{
	const struct profile_region *profiled = &profile->regions[region];
	struct error err = {0};
	struct pipeline *pipeline;

	if (!profile->has_paths || !model_parameter(estimate->model, "pipeline_rules"))
		return false;
	pipeline = pipeline_create(estimate->model, &err);
	if (!pipeline) {
		estimate->problem = xstrdup(err.text);
		return false;
	}
	estimate->pipeline = xcalloc(1, sizeof(*estimate->pipeline));
	region_cycles_init(estimate->pipeline, pipeline, profile, region);
	pipeline_destroy(pipeline);
	estimate->estimator = "pipeline";
	for (size_t i = 0; i < estimate->n_insns; i++) {
		const struct cost *cost = &estimate->costs[profile->insns[i].form];

		estimate->insn_mcyc[i] = cost_total_mcyc(cost, COST_LATENCY, 0, profiled->iterations[i]);
		estimate_add_mcyc(&estimate->insn_mcyc[i], estimate->pipeline->insn_mcyc[i]);
	}
	return true;
}
