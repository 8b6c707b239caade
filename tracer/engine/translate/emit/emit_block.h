/* Turns drafts into machine code. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_BLOCK_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_BLOCK_H

#include "engine/translate/translator.h"

/* A rel32 that is to lead to the block at va, once it is there. */
struct chain_branch {
	uint64_t patch_va, va;
	uint32_t counter; /* counts that it was taken; COUNTER_NONE: none does */
	uint32_t head;	  /* of what is logged then, or LOG_NO_HEAD; meaningless without a counter */
};

/* A rel32 that is to lead to where an indirect transfer goes on whose target is not the expected one. RCX is in the area, R11 is the target. */
struct chain_miss {
	uint64_t patch_va;
	uint32_t counter, site;
	uint32_t head; /* as in struct chain_branch */
};

/* A rel32 that is to lead to eight bytes of data. */
struct chain_literal {
	uint64_t patch_va, value;
};

/* Blocks laid out one behind the other, and what is to follow behind the last. */
struct chain {
	struct chain_branch *branches;
	size_t n_branches, branches_capacity;
	struct chain_miss *misses;
	size_t n_misses, misses_capacity;
	struct chain_literal *literals;
	size_t n_literals, literals_capacity;
};

enum {
	BLOCK_BYTES_MAX = 1 << 18, /* of one block or landing, translated, and all that a chain leaves for its end */
	BLOCK_COUNTERS_MAX = 3 + 2 * BLOCK_INSNS_MAX,
};

/* What is emitted from here on stands for. */
void mark(struct translator *translator, enum point_kind kind, size_t insn);

uint32_t add_counter(struct translator *translator, enum counter_kind kind, uint32_t block, size_t insn);

/* Emits a block. Returns the address whose block must follow right behind; 0: none, control does not get there. */
uint64_t emit_block(struct translator *translator, struct chain *chain, const struct draft *draft);

/* Emits, instead of that block, a jump to it; it belongs to the block emitted last. */
void emit_sequel(struct translator *translator, struct chain *chain, uint64_t va);

/* A copy whose RIP-relative displacement, if there is one, leads to the same place. */
void emit_moved(struct zone *zone, const uint8_t *bytes, size_t length, size_t displacement_offset, uint64_t next_va);

/* A RIP-relative operand of instruction i out of the zone's reach: its address goes to R11, which is ours then. False when it is in reach, or there is
 * none. */
bool emit_far_address(struct translator *translator, const struct draft *draft, size_t i);

void emit_push_va(struct translator *translator, struct chain *chain, uint64_t va);

/* emit_indirect.c */

/* Emits instruction i of a block, an indirect transfer. */
void emit_indirect(struct translator *translator, uint32_t block, struct chain *chain, const struct draft *draft,
		   size_t i);

/* Emits what branches and indirect transfers of the chain lead to that leave a trace. */
void emit_miss(struct translator *translator, const struct chain_miss *miss);

/* Emits what an indirect transfer to va arrives at: whether va is meant is checked. place_r11 and the code of va's block must follow, or a jump
 * to it. Returns the rel32 that leads on if not. */
uint64_t emit_landing(struct translator *translator, uint64_t va, uint32_t site, bool keeps_flags);

/* R11 is in the area, too; is in its place; is there and free to be used for what follows. */
void save_r11(struct translator *translator);
void fetch_r11(struct translator *translator);
void take_r11(struct translator *translator, enum point_kind kind, size_t insn);

/* Puts R11 where the code at va expects it. */
void place_r11(struct translator *translator, uint64_t va);

#endif
