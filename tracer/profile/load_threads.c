#include "base/array.h"
#include "profile/format.h"

void format_get_threads(struct byte_reader *reader, struct profile *profile)
{
	size_t n = bytes_get_number(reader, 2, 2 * sizeof(*profile->threads));

	for (size_t i = 0; i < n && !reader->problem; i++) {
		struct profile_thread *thread = ARRAY_ADD(profile, threads);

		thread->name = bytes_get_text(reader);
		thread->n_threads = format_get_count(reader);
	}
}

/* A thread that lies behind those before `next`. */
static uint32_t get_thread(struct byte_reader *reader, const struct profile *profile, size_t next)
{
	size_t thread = next + bytes_get_limited(reader, profile->n_threads - next);

	if (thread == profile->n_threads)
		bytes_fail(reader, "a thread is not there");
	return (uint32_t)thread;
}

static void get_part(struct byte_reader *reader, const struct profile *profile, struct profile_region *region)
{
	region->part_of = format_get_index(reader, profile->n_regions - 1);
	if (region->part_of == PROFILE_NONE)
		return;
	if (profile->regions[region->part_of].part_of != PROFILE_NONE)
		bytes_fail(reader, "a part of a region has a part");
	region->thread = get_thread(reader, profile, 0);
}

void format_get_shares(struct byte_reader *reader, struct profile *profile)
{
	struct profile_region *region = &profile->regions[profile->n_regions - 1];
	size_t n, next = 0;

	get_part(reader, profile, region);
	n = bytes_get_number(reader, 3, 2 * sizeof(*region->shares));
	for (size_t i = 0; i < n && !reader->problem; i++) {
		uint32_t thread = get_thread(reader, profile, next);
		struct profile_share *share;

		if (reader->problem)
			return;
		share = ARRAY_ADD(region, shares);
		share->thread = thread;
		share->visits = format_get_count(reader);
		share->executions = format_get_count(reader);
		next = (size_t)thread + 1;
	}
}
