#include "costmodels/estimators/estimate.h"

#include <stdlib.h>

#include "base/array.h"

/* Below this count no sum overflows. The largest figure is 10^9 milli-cycles (data/FORMAT.md). An opcode map
 * multiplies it by at most 8 terms, 64 elements and 16 longwords. */
#define HARMLESS_EXECUTIONS (1u << 18)

/* Leaves room for what estimators add to the figures, such as stalls of pairing. */
#define MCYC_MAX ((double)INT64_MAX / 16)

/* Sums per form, in floating point. An error of one percent does not matter. */
struct sums {
	double executions, iterations;
};

static bool fits(const struct model *model, const struct profile *profile, const struct sums *sums)
{
	double latency = 0, throughput = 0;

	for (size_t i = 0; i < profile->n_forms; i++) {
		struct cost cost;

		if (sums[i].executions == 0 && sums[i].iterations == 0)
			continue;
		model_lookup(model, profile->forms[i].form.text, &cost);
		latency += sums[i].executions * (double)cost.latency_mcyc +
			   sums[i].iterations * (double)cost.per_iteration_mcyc;
		throughput += sums[i].executions * (double)cost.throughput_mcyc +
			      sums[i].iterations * (double)cost.per_iteration_mcyc;
	}
	return latency < MCYC_MAX && throughput < MCYC_MAX;
}

bool estimate_check_overflow(const struct model *model, const struct profile *profile, uint32_t region,
			     struct error *err)
{
	const struct profile_region *profiled = &profile->regions[region];
	struct sums *sums;
	double total = 0;
	bool is_good;

	for (size_t i = 0; i < profiled->n_counts; i++)
		total += (double)profiled->executions[i] + (double)profiled->iterations[i];
	if (total < HARMLESS_EXECUTIONS)
		return true;
	sums = xcalloc(profile->n_forms, sizeof(*sums));
	for (size_t i = 0; i < profiled->n_counts; i++) {
		sums[profile->insns[i].form].executions += (double)profiled->executions[i];
		sums[profile->insns[i].form].iterations += (double)profiled->iterations[i];
	}
	is_good = fits(model, profile, sums);
	free(sums);
	if (is_good)
		return true;
	return error_set(err, ERROR_USAGE, "region '%.80s' would take more cycles on %s than itrace can count",
			 profiled->name, model_name(model));
}
