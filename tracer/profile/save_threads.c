#include "profile/format.h"

void format_put_threads(const struct profile *profile, struct byte_writer *out)
{
	bytes_put_uint(out, profile->n_threads);
	for (size_t i = 0; i < profile->n_threads; i++) {
		bytes_put_text(out, profile->threads[i].name);
		bytes_put_uint(out, profile->threads[i].n_threads);
	}
}

void format_put_shares(const struct profile_region *region, struct byte_writer *out)
{
	uint32_t next = 0;

	bytes_put_uint(out, region->part_of == PROFILE_NONE ? 0 : (uint64_t)region->part_of + 1);
	if (region->part_of != PROFILE_NONE)
		bytes_put_uint(out, region->thread);
	bytes_put_uint(out, region->n_shares);
	for (size_t i = 0; i < region->n_shares; i++) {
		const struct profile_share *share = &region->shares[i];

		bytes_put_uint(out, share->thread - next);
		bytes_put_uint(out, share->visits);
		bytes_put_uint(out, share->executions);
		next = share->thread + 1;
	}
}
