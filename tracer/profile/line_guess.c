#include "profile/line_guess.h"

#include <stdlib.h>

#include "base/array.h"

void line_guess_init(struct line_guess *guess, const struct profile_inlined *calls, size_t n_calls, size_t n_functions)
{
	*guess = (struct line_guess){.calls = calls,
				     .n_functions = n_functions,
				     .latest = {.file = PROFILE_NONE, .inlined = PROFILE_NONE}};
	guess->in_function = xcalloc(n_functions + 1, sizeof(*guess->in_function));
	guess->in_call = xcalloc(n_calls, sizeof(*guess->in_call));
	guess->entry = xcalloc(n_functions, sizeof(*guess->entry));
}

void line_guess_deinit(struct line_guess *guess)
{
	free(guess->in_function);
	free(guess->in_call);
	free(guess->entry);
}

static struct profile_location *latest_in(const struct line_guess *guess, uint32_t function, uint32_t inlined)
{
	if (inlined != PROFILE_NONE)
		return &guess->in_call[inlined];
	return &guess->in_function[function == PROFILE_NONE ? guess->n_functions : function];
}

static struct profile_location *entry_of(const struct line_guess *guess, uint32_t inlined)
{
	return &guess->entry[guess->calls[inlined].function];
}

struct profile_location line_guess_next(const struct line_guess *guess, uint32_t function, uint32_t inlined)
{
	const struct profile_location *known = latest_in(guess, function, inlined);

	if (known->line == 0 && inlined != PROFILE_NONE)
		known = entry_of(guess, inlined);
	return known->line == 0 ? guess->latest : *known;
}

void line_guess_add(struct line_guess *guess, uint32_t function, const struct profile_location *location)
{
	struct profile_location *known = latest_in(guess, function, location->inlined);

	if (known->line == 0 && location->inlined != PROFILE_NONE)
		*entry_of(guess, location->inlined) = *location;
	*known = guess->latest = *location;
}
