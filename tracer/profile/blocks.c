#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/insn_address.h"
#include "profile/profile.h"

static uint64_t hash_insns(const uint32_t *insns, size_t n_insns)
{
	uint64_t hash = n_insns;

	/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
	for (size_t i = 0; i < n_insns; i++)
		hash = (hash ^ (hash >> 32) ^ insns[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return hash;
}

/* The slot of a block, or the free one where it belongs: open addressing, 0 is free, else index + 1. */
static uint32_t *find_slot(const struct profile *profile, const uint32_t *insns, size_t n_insns)
{
	size_t mask = profile->n_block_slots - 1;
	size_t i = (size_t)(hash_insns(insns, n_insns) >> 32) & mask;

	for (; profile->block_slots[i]; i = (i + 1) & mask) {
		const struct profile_block *block = &profile->blocks[profile->block_slots[i] - 1];

		if (block->n_insns == n_insns &&
		    memcmp(&profile->block_insns[block->first], insns, n_insns * sizeof(*insns)) == 0)
			break;
	}
	return &profile->block_slots[i];
}

static void grow_slots(struct profile *profile)
{
	free(profile->block_slots);
	profile->n_block_slots = profile->n_block_slots ? profile->n_block_slots * 2 : 256;
	profile->block_slots = xcalloc(profile->n_block_slots, sizeof(*profile->block_slots));
	for (size_t i = 0; i < profile->n_blocks; i++) {
		const struct profile_block *block = &profile->blocks[i];

		*find_slot(profile, &profile->block_insns[block->first], block->n_insns) = (uint32_t)i + 1;
	}
}

static uint32_t count_words(const struct profile_insn *insn)
{
	struct insn_operands operands;

	return insn->length && insn_operands_decode(insn->bytes, insn->length, &operands)
		       ? (uint32_t)insn_n_words(&operands)
		       : 0;
}

uint32_t profile_intern_block(struct profile *profile, const uint32_t *insns, size_t n_insns)
{
	struct profile_block *block;
	uint32_t *slot;

	assert(n_insns > 0);
	if (profile->n_blocks * 2 >= profile->n_block_slots)
		grow_slots(profile);
	slot = find_slot(profile, insns, n_insns);
	if (*slot)
		return *slot - 1;
	block = ARRAY_ADD(profile, blocks);
	*block = (struct profile_block){.first = (uint32_t)profile->n_block_insns, .n_insns = (uint32_t)n_insns};
	profile->n_block_insns += n_insns;
	profile->block_insns = array_reserve(profile->block_insns, &profile->block_insns_capacity,
					     profile->n_block_insns, sizeof(*profile->block_insns));
	for (size_t i = 0; i < n_insns; i++) {
		assert(insns[i] < profile->n_insns);
		profile->block_insns[block->first + i] = insns[i];
		block->n_words += count_words(&profile->insns[insns[i]]);
	}
	*slot = (uint32_t)profile->n_blocks;
	return (uint32_t)profile->n_blocks - 1;
}
