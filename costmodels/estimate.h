/* The `table` estimator: a region's counts times a model's table.
 *
 * It gives two bounds: the sum of latencies (nothing overlaps) and the sum of reciprocal throughputs (everything
 * overlaps). An in-order machine has one figure for both.
 *
 * Sums are checked: a total of 2^63 milli-cycles, 26 days at 4 GHz, is a failed assertion and never wraps.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATE_H
#define ITRACE_COSTMODELS_ESTIMATE_H

#include "costmodels/model.h"
#include "profile/profile.h"

struct estimate {
	const struct model *model; /* borrowed */
	const char *estimator;	   /* "table" */
	struct cost *costs;	   /* [n_forms] of the profile, by form index */
	size_t n_forms;
	mcyc_t latency_mcyc; /* sum over executions; unknown forms add nothing and are counted below */
	mcyc_t throughput_mcyc;
	mcyc_t ranked_mcyc; /* the one of the two that the model ranks by: "the" cycles */
	uint64_t exact, fallback,
		unknown;  /* executions by how they were costed; their sum is the region's executions */
	uint64_t time_ns; /* ranked_mcyc at the model's clock; 0 when it states none */
};

/* Costs one region. The result borrows profile and model. */
void estimate_region_init(struct estimate *estimate, const struct model *model, const struct profile *profile,
			  uint32_t region);
void estimate_region_deinit(struct estimate *estimate);

/* A group's cycles in the ranked column; *unknown_executions, if not NULL, gets those without a figure. */
mcyc_t estimate_group_mcyc(const struct estimate *estimate, const struct profile_group *group,
			   uint64_t *unknown_executions);

#endif
