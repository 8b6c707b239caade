/* What those who read a stream ask of its blocks, decoded once. */
#ifndef ITRACE_STREAM_BLOCK_ATTRIBUTES_H
#define ITRACE_STREAM_BLOCK_ATTRIBUTES_H

#include "decode/insn.h"
#include "profile/profile.h"

/* One memory operand. */
struct block_access {
	uint32_t insn; /* in the block, from 0 */
	uint32_t word; /* in the block, from 0 */
	uint32_t n_bytes;
	bool is_read, is_written;
	bool is_repeated; /* REP: the word with the length is `length` */
	uint32_t length;
};

struct block_attribute {
	uint64_t first_va, last_va, end_va; /* of the first and the last instruction, and behind that */
	uint32_t last_insn;		    /* index in the profile */
	enum insn_flow flow;		    /* of the last instruction */
	uint32_t n_insns, n_words;
	uint32_t first_access, n_accesses; /* in the order of the words */
};

struct block_attributes {
	struct block_attribute *attributes; /* [n_facts], by block */
	size_t n_attributes, attributes_capacity;
	struct block_access *accesses;
	size_t n_accesses, accesses_capacity;
};

void block_attributes_deinit(struct block_attributes *attributes);

/* Learns the blocks that are new in a profile. */
void block_attributes_update(struct block_attributes *attributes, const struct profile *profile);

/* The fact of a block, which may be new. Valid until the next call. */
static inline const struct block_attribute *block_attributes_at(struct block_attributes *attributes,
								const struct profile *profile, uint32_t block)
{
	if (block >= attributes->n_attributes)
		block_attributes_update(attributes, profile);
	return &attributes->attributes[block];
}

#endif
