/* What functions that call one another in a circle cost with their calls, beyond what a call tree says (calls.h). Private to profile/.
 *
 * A call of a function that is under way counts for its context further up. The functions between are under way as well then, but that
 * context is not below them. Which functions these are is a set; blocks are counted by set, beside their contexts.
 */
#ifndef ITRACE_PROFILE_CALL_CIRCLES_H
#define ITRACE_PROFILE_CALL_CIRCLES_H

#include "profile/call_tally.h"
#include "profile/profile.h"

/* What runs under another one after so many counts for none of its functions. */
#define CALL_SETS_MAX ((size_t)1 << 16)

#define CALL_SET_EMPTY 0

struct call_circles {
	struct call_tally tally; /* by set */
	struct call_set {
		size_t first;
		uint32_t n_members;
	} * sets; /* [n_sets] the first one is empty; none at all before the first circle */
	size_t n_sets, sets_capacity;
	uint32_t *members; /* [n_members] functions, of each set ascending; PROFILE_NONE: code in no function */
	size_t n_members, members_capacity;
	uint32_t *set_slots; /* open addressing by members; 0 is free, else index + 1 */
	size_t n_set_slots;
	struct call_step { /* what set was found last, by what was asked */
		uint32_t set, context, found;
	} * steps;
	uint64_t *stamps; /* by function, PROFILE_NONE first: when it was seen */
	size_t stamps_capacity;
	uint64_t stamp;
	bool is_full; /* CALL_SETS_MAX was reached */
};

void call_circles_deinit(struct call_circles *circles);

/* The set after a call: of the functions in `set`, and those that `context`, a recursive one, leaves for the one that counts for it; but
 * none that the context which counts then, or one above it, is of. functions[]: of contexts. */
uint32_t call_circles_enter(struct call_circles *circles, const struct profile_context *contexts,
			    const uint32_t *functions, uint32_t set, uint32_t context);

#endif
