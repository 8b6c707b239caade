/* What each function of a region costs with all that it called, by the region's call tree. Private to report/.
 *
 * Counted is what was executed while the function was under way: under an outermost call of it, so that a function that calls
 * itself, and code without symbols, which is all one function here, count once. Where functions call one another in a circle, what the
 * further calls of the first one cost is where the tree has it: in the first one, but not in those between.
 */
#ifndef ITRACE_ANALYSIS_INCLUSIVE_H
#define ITRACE_ANALYSIS_INCLUSIVE_H

#include "report/formats.h"

struct inclusive {
	const struct profile *profile;
	size_t n_models, width; /* of rows of costs (cost_split.h) */
	uint64_t *costs; /* [profile->n_functions + 1][width], the last row of code in no function; NULL: not known */
};

/* Not known where the region has no call tree, or rows are no functions. */
void inclusive_init(struct inclusive *inclusive, const struct report *report, const struct section *section);
void inclusive_deinit(struct inclusive *inclusive);

/* Of a row's function; NULL: not known. */
const uint64_t *inclusive_of(const struct inclusive *inclusive, const struct profile_group *group);

/* Whether the rows of any region have it: reports by function of runs with call trees. */
bool inclusive_is_shown(const struct report *report);

#endif
