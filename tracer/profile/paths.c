#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/profile.h"

/* The slot of a pair, or the free one where it belongs: open addressing, 0 is free, else index + 1. */
static uint32_t *find_slot(const struct profile_region *region, uint32_t from, uint32_t to)
{
	/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
	uint64_t hash = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);
	size_t mask = region->n_pair_slots - 1;
	size_t i = (size_t)(hash >> 32) & mask;

	for (; region->pair_slots[i]; i = (i + 1) & mask) {
		const struct profile_pair *pair = &region->pairs[region->pair_slots[i] - 1];

		if (pair->from == from && pair->to == to)
			break;
	}
	return &region->pair_slots[i];
}

static void grow_slots(struct profile_region *region)
{
	free(region->pair_slots);
	region->n_pair_slots = region->n_pair_slots ? region->n_pair_slots * 2 : 64;
	region->pair_slots = xcalloc(region->n_pair_slots, sizeof(*region->pair_slots));
	for (size_t i = 0; i < region->n_pairs; i++)
		*find_slot(region, region->pairs[i].from, region->pairs[i].to) = (uint32_t)i + 1;
}

void profile_count_pair(struct profile *profile, uint32_t region, uint32_t from, uint32_t to, uint64_t count)
{
	struct profile_region *counted = &profile->regions[region];
	uint32_t *slot;

	assert(to < profile->n_paths);
	if (counted->n_pairs * 2 >= counted->n_pair_slots)
		grow_slots(counted);
	slot = find_slot(counted, from, to);
	if (!*slot) {
		*ARRAY_ADD(counted, pairs) = (struct profile_pair){.from = from, .to = to};
		*slot = (uint32_t)counted->n_pairs;
	}
	counted->pairs[*slot - 1].count += count;
}

void profile_tally(struct profile_tally *tally, uint32_t insn, uint64_t count)
{
	if (insn >= tally->n_counts) {
		tally->counts = array_reserve(tally->counts, &tally->counts_capacity, (size_t)insn + 1,
					      sizeof(*tally->counts));
		tally->n_counts = (size_t)insn + 1;
	}
	tally->counts[insn] += count;
}

uint64_t profile_tally_of(const struct profile_tally *tally, uint32_t insn)
{
	return insn < tally->n_counts ? tally->counts[insn] : 0;
}

void profile_count_miss(struct profile *profile, uint32_t region, size_t cache, enum profile_miss miss, uint32_t insn,
			uint64_t count)
{
	struct profile_region *counted = &profile->regions[region];

	assert(cache < profile->n_caches);
	if (!counted->misses)
		counted->misses = xcalloc(profile->n_caches * N_PROFILE_MISSES, sizeof(*counted->misses));
	profile_tally(&counted->misses[cache * N_PROFILE_MISSES + miss], insn, count);
}

uint64_t profile_miss_of(const struct profile_region *region, size_t cache, enum profile_miss miss, uint32_t insn)
{
	return region->misses ? profile_tally_of(&region->misses[cache * N_PROFILE_MISSES + miss], insn) : 0;
}
