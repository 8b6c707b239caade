#include <string.h>

#include "base/array.h"
#include "profile/profile.h"

static uint32_t find_part(const struct profile *profile, uint32_t region, uint32_t thread)
{
	for (uint32_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].part_of == region && profile->regions[i].thread == thread)
			return i;
	return PROFILE_NONE;
}

uint32_t profile_intern_part(struct profile *profile, uint32_t region, uint32_t thread)
{
	uint32_t part = find_part(profile, region, thread), handlers_of = profile->regions[region].handlers_of;

	if (part != PROFILE_NONE)
		return part;
	if (handlers_of != PROFILE_NONE)
		handlers_of = profile_intern_part(profile, handlers_of, thread);
	*ARRAY_ADD(profile, regions) = (struct profile_region){.name = xstrdup(profile->regions[region].name),
							       .part_of = region,
							       .thread = thread,
							       .handlers_of = handlers_of};
	return (uint32_t)profile->n_regions - 1;
}

void profile_add_share(struct profile *profile, uint32_t region, uint32_t thread, uint64_t visits, uint64_t executions)
{
	struct profile_region *whole = &profile->regions[region];
	size_t i = whole->n_shares;

	while (i > 0 && whole->shares[i - 1].thread >= thread)
		i--;
	if (i == whole->n_shares || whole->shares[i].thread != thread) {
		ARRAY_ADD(whole, shares);
		memmove(&whole->shares[i + 1], &whole->shares[i], (whole->n_shares - 1 - i) * sizeof(*whole->shares));
		whole->shares[i] = (struct profile_share){.thread = thread};
	}
	whole->shares[i].visits += visits;
	whole->shares[i].executions += executions;
}

bool profile_has_parts(const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].part_of != PROFILE_NONE)
			return true;
	return false;
}
