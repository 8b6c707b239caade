/* Which registers a block has to log so that the addresses of all its operands can be told afterwards.
 *
 * What is logged is a slot: a register, or a sum of two. An address is a slot and a constant; operands with the same registers, not
 * changed in between, share one.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_PLAN_H
#define ITRACE_ENGINE_TRANSLATE_LOG_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn_address.h"
#include "engine/translate/block.h"

#define LOG_NONE UINT8_MAX /* no register */

struct log_slot {
	uint8_t insn;	     /* logged before it, or */
	bool is_after;	     /* behind it */
	uint8_t base, index; /* numbers of general registers, or LOG_NONE; not both */
	uint8_t scale;	     /* of the index; 0 without one */
};

enum log_word_kind {
	WORD_CONSTANT,
	WORD_SLOT,	  /* constant + slot */
	WORD_CUT,	  /* the same, cut to 32 bits */
	WORD_FS,	  /* constant + slot, if there is one, + the base of FS */
	WORD_CUT_FS,	  /* cut before that base is added */
	WORD_REPETITIONS, /* by how many times the constant the slot is more than the one before */
};

/* One of the words of decode/insn_address.h. */
struct log_word {
	uint8_t insn, kind;
	uint8_t slot, before; /* indices; meaningless where the kind has none */
	bool has_slot;
	uint64_t constant;
};

enum {
	LOG_INSN_WORDS = INSN_MAX_OPERANDS + 1,
	LOG_SLOTS_MAX = 250,
	LOG_WORDS_MAX = BLOCK_INSNS_MAX * LOG_INSN_WORDS,
};

struct log_plan {
	struct log_slot slots[LOG_SLOTS_MAX]; /* ascending by insn, before and then behind it */
	size_t n_slots;
	struct log_word words[LOG_WORDS_MAX]; /* in order */
	size_t n_words;

	/* Private: the slot that holds a register, as it is now but for a difference. */
	uint8_t known[INSN_N_GENERAL];
	uint64_t more[INSN_N_GENERAL];
};

void log_plan_init(struct log_plan *plan);

/* Adds instruction i of the block, which lies at va. False when its addresses cannot be logged, or there are too many. */
bool log_plan_add(struct log_plan *plan, size_t i, uint64_t va, const struct insn *insn);

#endif
