/* The share of a region that a model costs exactly, and the forms that it costs by a fallback or not at all. */
#ifndef ITRACE_ANALYSIS_COVERAGE_H
#define ITRACE_ANALYSIS_COVERAGE_H

#include "costmodels/estimators/estimate.h"
#include "profile/group.h"

struct coverage_row {
	const char *text; /* points into the profile or the model */
	uint64_t executions;
};

/* Rows are ordered by descending executions, then by text. */
struct coverage {
	struct coverage_row *rules; /* the fallback rules that were applied: `rule` of struct cost */
	size_t n_rules, rules_capacity;
	struct coverage_row *unknown; /* forms without a cost in the model */
	size_t n_unknown, unknown_capacity;
};

/* `forms` are the region's groups by form. The result borrows profile and model. */
void coverage_init(struct coverage *coverage, const struct estimate *estimate, const struct profile_groups *forms);
void coverage_deinit(struct coverage *coverage);

#endif
