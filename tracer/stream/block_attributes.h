/* Attributes of the blocks of a stream: control flow and memory accesses. Each block is decoded once. */
#ifndef ITRACE_STREAM_BLOCK_ATTRIBUTES_H
#define ITRACE_STREAM_BLOCK_ATTRIBUTES_H

#include "decode/insn.h"
#include "profile/profile.h"

/* One memory operand. */
struct block_access {
	uint32_t insn;	  /* index in the block */
	uint32_t address; /* index in the addresses of the block (stream.h) */
	uint32_t n_bytes;
	bool is_read, is_written;
	bool is_repeated; /* the operand is of a REP string instruction */
	uint32_t length;  /* if is_repeated: index of the instruction's length in the addresses of the block */
};

struct block_attribute {
	uint64_t first_va, last_va; /* of the first and the last instruction */
	uint64_t end_va;	    /* address after the last instruction */
	uint32_t last_insn;	    /* index in the profile */
	enum insn_flow flow;	    /* of the last instruction */
	uint32_t n_insns, n_addresses;
	uint32_t first_access, n_accesses; /* index in accesses, and number; in the order of the block's addresses */
};

struct block_attributes {
	struct block_attribute *attributes; /* [n_attributes], by block */
	size_t n_attributes, attributes_capacity;
	struct block_access *accesses;
	size_t n_accesses, accesses_capacity;
};

void block_attributes_deinit(struct block_attributes *attributes);

/* Adds the attributes of blocks that are new in the profile. */
void block_attributes_update(struct block_attributes *attributes, const struct profile *profile);

/* Returns the attributes of a block, even of a new one. Valid until the next call. */
static inline const struct block_attribute *block_attributes_at(struct block_attributes *attributes,
								const struct profile *profile, uint32_t block)
{
	if (block >= attributes->n_attributes)
		block_attributes_update(attributes, profile);
	return &attributes->attributes[block];
}

#endif
