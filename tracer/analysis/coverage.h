/* The share of a region that a model costs exactly, and the forms that it costs by a fallback or not at all. */
#ifndef ITRACE_ANALYSIS_COVERAGE_H
#define ITRACE_ANALYSIS_COVERAGE_H

#include "costmodels/estimators/estimate.h"
#include "profile/group.h"

/* Executions that are costed as a related form, by one rule of the model. */
struct coverage_rule {
	const char *rule; /* as in struct cost */
	uint64_t executions;
};

/* A form without a cost in the model. */
struct coverage_form {
	const char *text; /* points into the profile */
	uint64_t executions, iterations;
};

struct coverage {
	struct coverage_rule *rules; /* by descending executions, then by text */
	size_t n_rules, rules_capacity;
	struct coverage_form *unknown; /* by descending executions, then by text */
	size_t n_unknown, unknown_capacity;
};

/* `forms` are the region's groups by form. The result borrows profile and model. */
void coverage_init(struct coverage *coverage, const struct estimate *estimate, const struct profile_groups *forms);
void coverage_deinit(struct coverage *coverage);

#endif
