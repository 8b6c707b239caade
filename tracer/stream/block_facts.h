/* Decoded facts about blocks, for all consumers of a stream. */
#ifndef ITRACE_STREAM_BLOCK_FACTS_H
#define ITRACE_STREAM_BLOCK_FACTS_H

#include "decode/insn.h"
#include "profile/profile.h"

/* A memory operand. */
struct block_access {
	uint32_t insn; /* index in the block */
	uint32_t word; /* index of its address among the words of the block */
	uint32_t n_bytes;
	bool is_read, is_written;
	bool is_repeated; /* REP; the word at index `length` holds the length */
	uint32_t length;
};

struct block_fact {
	uint64_t first_va, last_va, end_va; /* addresses of the first and last instruction, and one past the end */
	uint32_t last_insn;		    /* index in the profile */
	enum insn_flow flow;		    /* of the last instruction */
	uint32_t n_insns, n_words;
	uint32_t first_access, n_accesses; /* sorted by word */
};

struct block_facts {
	struct block_fact *facts; /* [n_facts], indexed by block */
	size_t n_facts, facts_capacity;
	struct block_access *accesses;
	size_t n_accesses, accesses_capacity;
};

void block_facts_deinit(struct block_facts *facts);

/* Adds the facts of blocks that are new in the profile. */
void block_facts_update(struct block_facts *facts, const struct profile *profile);

/* Returns the fact of a block, which may be new. The pointer is valid until the next call. */
static inline const struct block_fact *block_facts_at(struct block_facts *facts, const struct profile *profile,
						      uint32_t block)
{
	if (block >= facts->n_facts)
		block_facts_update(facts, profile);
	return &facts->facts[block];
}

#endif
