/* How much of a region a model has figures for, and by which rules: what is behind the numbers of an estimate. */
#ifndef ITRACE_ANALYSIS_COVERAGE_H
#define ITRACE_ANALYSIS_COVERAGE_H

#include "costmodels/estimators/estimate.h"
#include "profile/profile.h"

/* Executions that took a related row's figures for the same reason. */
struct coverage_rule {
	const char *rule; /* as in struct cost */
	uint64_t executions;
};

/* A form without a figure. */
struct coverage_form {
	const char *text; /* points into the profile */
	uint64_t executions, iterations;
};

struct coverage {
	struct coverage_rule *rules; /* by descending executions, then by text */
	size_t n_rules, rules_capacity;
	struct coverage_form *unknown; /* likewise */
	size_t n_unknown, unknown_capacity;
};

/* Of the region that the estimate is of. The result borrows profile and model. */
void coverage_init(struct coverage *coverage, const struct estimate *estimate, const struct profile *profile,
		   uint32_t region);
void coverage_deinit(struct coverage *coverage);

#endif
