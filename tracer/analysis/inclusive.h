/* The inclusive cost of each function of a region, from its call tree.
 *
 * The inclusive cost of a function is the cost of all instructions that execute during its calls. Recursive calls
 * count once. All code without symbols counts as one function.
 *
 * Exception: if functions call one another in a circle, the call tree merges the inner calls of the first function
 * into that function's node. The inclusive costs of the other functions lack the cost of these calls.
 */
#ifndef ITRACE_ANALYSIS_INCLUSIVE_H
#define ITRACE_ANALYSIS_INCLUSIVE_H

#include "analysis/call_tree.h"

struct inclusive {
	const struct profile *profile;
	size_t width;	 /* of cost rows */
	uint64_t *costs; /* [n_functions + 1][width] last: code in no function; NULL: not computed */
};

/* For a region with calling contexts. The result borrows the profile. */
void inclusive_init(struct inclusive *inclusive, const struct call_tree *tree);
void inclusive_deinit(struct inclusive *inclusive);

/* Returns the cost row of a group's function, or NULL if it is not computed. */
const uint64_t *inclusive_of(const struct inclusive *inclusive, const struct profile_group *group);

#endif
