#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/index.h"
#include "profile/profile.h"

static uint32_t *find_slot(const struct profile_region *region, uint32_t from, uint32_t to)
{
	return INDEX_SLOT(&region->pair_index, index_hash_pair(from, to), i,
			  region->pairs[i].from == from && region->pairs[i].to == to);
}

void profile_count_pair(struct profile *profile, uint32_t region, uint32_t from, uint32_t to, uint64_t count)
{
	struct profile_region *counted = &profile->regions[region];
	uint32_t *slot;

	assert(to < profile->n_paths);
	INDEX_RESERVE(&counted->pair_index, counted->n_pairs, i,
		      find_slot(counted, counted->pairs[i].from, counted->pairs[i].to));
	slot = find_slot(counted, from, to);
	if (!*slot) {
		*ARRAY_ADD(counted, pairs) = (struct profile_pair){.from = from, .to = to};
		*slot = (uint32_t)counted->n_pairs;
	}
	counted->pairs[*slot - 1].count += count;
}

void profile_tally_add(struct profile_tally *tally, uint32_t insn, uint64_t count)
{
	if (insn >= tally->n_counts) {
		tally->counts = array_reserve(tally->counts, &tally->counts_capacity, (size_t)insn + 1,
					      sizeof(*tally->counts));
		tally->n_counts = (size_t)insn + 1;
	}
	tally->counts[insn] += count;
}

uint64_t profile_tally_get(const struct profile_tally *tally, uint32_t insn)
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
	profile_tally_add(&counted->misses[cache * N_PROFILE_MISSES + miss], insn, count);
}

uint64_t profile_miss_of(const struct profile_region *region, size_t cache, enum profile_miss miss, uint32_t insn)
{
	return region->misses ? profile_tally_get(&region->misses[cache * N_PROFILE_MISSES + miss], insn) : 0;
}
