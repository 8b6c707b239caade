/* Guesses where in the source an instruction comes from, after those before it (FORMAT.md, "Source"). Writing and reading
 * share it. Private to profile/. */
#ifndef ITRACE_PROFILE_LINE_GUESS_H
#define ITRACE_PROFILE_LINE_GUESS_H

#include "profile/profile.h"

struct line_guess {
	const struct profile_inlined *calls; /* by number in the file; those that were met */
	size_t n_functions;
	struct profile_location
		*in_function; /* [n_functions + 1] latest, outside of inlined calls; no function: the last */
	struct profile_location *in_call; /* [n_inlined] latest in each inlined call */
	struct profile_location *entry;	  /* [n_functions] first in the latest inlined call of each function */
	struct profile_location latest;	  /* of all */
};

void line_guess_init(struct line_guess *guess, const struct profile_inlined *calls, size_t n_calls, size_t n_functions);
void line_guess_deinit(struct line_guess *guess);

/* Of an instruction of this function (or PROFILE_NONE), inlined so. */
struct profile_location line_guess_next(const struct line_guess *guess, uint32_t function, uint32_t inlined);

/* To be told of each one, in order. */
void line_guess_add(struct line_guess *guess, uint32_t function, const struct profile_location *location);

#endif
