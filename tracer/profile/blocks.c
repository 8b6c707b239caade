#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "decode/insn_address.h"
#include "profile/profile.h"

static bool has_insns(const struct profile *profile, size_t block, const uint32_t *insns, size_t n_insns)
{
	const struct profile_block *found = &profile->blocks[block];

	return found->n_insns == n_insns &&
	       memcmp(&profile->block_insns[found->first], insns, n_insns * sizeof(*insns)) == 0;
}

static uint32_t *find_slot(const struct profile *profile, const uint32_t *insns, size_t n_insns)
{
	return INDEX_SLOT(&profile->block_index, index_hash_words(insns, n_insns), i,
			  has_insns(profile, i, insns, n_insns));
}

uint32_t profile_insn_n_addresses(const struct profile_insn *insn)
{
	struct insn_operands operands;

	return insn->length && insn_operands_decode(insn->bytes, insn->length, &operands)
		       ? (uint32_t)insn_count_address_entries(&operands)
		       : 0;
}

uint32_t profile_intern_block(struct profile *profile, const uint32_t *insns, size_t n_insns)
{
	struct profile_block *block;
	uint32_t *slot;

	assert(n_insns > 0);
	INDEX_RESERVE(&profile->block_index, profile->n_blocks, i,
		      find_slot(profile, &profile->block_insns[profile->blocks[i].first], profile->blocks[i].n_insns));
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
		block->n_addresses += profile_insn_n_addresses(&profile->insns[insns[i]]);
	}
	*slot = (uint32_t)profile->n_blocks;
	return (uint32_t)profile->n_blocks - 1;
}
