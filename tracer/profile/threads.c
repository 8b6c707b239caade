#include <string.h>

#include "base/array.h"
#include "profile/profile.h"

static uint32_t find_thread_region(const struct profile *profile, uint32_t region, uint32_t thread)
{
	for (uint32_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].all_threads_region == region && profile->regions[i].thread == thread)
			return i;
	return PROFILE_NONE;
}

uint32_t profile_intern_thread_region(struct profile *profile, uint32_t region, uint32_t thread)
{
	uint32_t found = find_thread_region(profile, region, thread),
		 handlers_of = profile->regions[region].handlers_of;

	if (found != PROFILE_NONE)
		return found;
	if (handlers_of != PROFILE_NONE)
		handlers_of = profile_intern_thread_region(profile, handlers_of, thread);
	*ARRAY_ADD(profile, regions) = (struct profile_region){.name = xstrdup(profile->regions[region].name),
							       .all_threads_region = region,
							       .thread = thread,
							       .handlers_of = handlers_of};
	return (uint32_t)profile->n_regions - 1;
}

void profile_add_thread_totals(struct profile *profile, uint32_t region, uint32_t thread, uint64_t visits,
			       uint64_t executions)
{
	struct profile_region *whole = &profile->regions[region];
	size_t i = whole->n_thread_totals;

	while (i > 0 && whole->thread_totals[i - 1].thread >= thread)
		i--;
	if (i == whole->n_thread_totals || whole->thread_totals[i].thread != thread) {
		ARRAY_ADD(whole, thread_totals);
		memmove(&whole->thread_totals[i + 1], &whole->thread_totals[i],
			(whole->n_thread_totals - 1 - i) * sizeof(*whole->thread_totals));
		whole->thread_totals[i] = (struct profile_thread_totals){.thread = thread};
	}
	whole->thread_totals[i].visits += visits;
	whole->thread_totals[i].executions += executions;
}

bool profile_has_thread_regions(const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].all_threads_region != PROFILE_NONE)
			return true;
	return false;
}
