/* Attributes of the blocks of a stream, decoded once: control flow and memory accesses. */
#ifndef ITRACE_STREAM_BLOCK_ATTRIBUTES_H
#define ITRACE_STREAM_BLOCK_ATTRIBUTES_H

#include "decode/insn.h"
#include "profile/profile.h"

/* One memory operand. */
struct block_access {
	uint32_t insn;		/* index of the instruction in the block */
	uint32_t address_index; /* in the addresses of the block (stream.h) */
	uint32_t n_bytes;	/* of one iteration if is_repeated */
	bool is_read, is_written;
	bool is_repeated; /* by a REP string instruction */
	uint32_t
		length_index; /* if is_repeated: index of the length of all iterations, in the addresses of the block */
};

struct block_attribute {
	uint64_t first_va, last_va; /* of the first and the last instruction */
	uint64_t end_va;	    /* end of the last instruction */
	uint32_t last_insn;	    /* index in the profile of the last instruction */
	enum insn_flow flow;	    /* of the last instruction */
	uint32_t n_insns, n_addresses;
	uint32_t first_access, n_accesses; /* in the order of the block's addresses */
};

struct block_attributes {
	struct block_attribute *attributes; /* [n_attributes], by block */
	size_t n_attributes, attributes_capacity;
	struct block_access *accesses;
	size_t n_accesses, accesses_capacity;
};

void block_attributes_deinit(struct block_attributes *attributes);

/* Adds the attributes of the profile's new blocks. */
void block_attributes_update(struct block_attributes *attributes, const struct profile *profile);

/* Returns the attributes of a block. Adds those of new blocks. The pointer is valid until the next call. */
static inline const struct block_attribute *block_attributes_at(struct block_attributes *attributes,
								const struct profile *profile, uint32_t block)
{
	if (block >= attributes->n_attributes)
		block_attributes_update(attributes, profile);
	return &attributes->attributes[block];
}

#endif
