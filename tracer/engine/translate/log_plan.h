/* The words of decode/insn_address.h that a block logs, and how each is made from registers. */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_PLAN_H
#define ITRACE_ENGINE_TRANSLATE_LOG_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn_address.h"
#include "engine/translate/block.h"

#define LOG_NONE UINT8_MAX /* no register */

struct log_word {
	uint8_t insn;	     /* before which it is logged */
	uint8_t base, index; /* numbers of general registers, or LOG_NONE */
	uint8_t scale;	     /* of the index */
	bool is_cut;	     /* base + index * scale + constant is, to 32 bits */
	bool has_fs;	     /* then the base of FS is added */
	/* REP: logged behind it, what its last address is more than the first, that is the base less the word before. The constant is 0. */
	bool is_length;
	uint64_t constant; /* of 32 bits, sign-extended, if there is a base or an index */
};

enum {
	LOG_INSN_WORDS = INSN_MAX_OPERANDS + 1,
	LOG_WORDS_MAX = 255, /* what a record's head can tell */
};

struct log_plan {
	struct log_word words[LOG_WORDS_MAX]; /* in order */
	size_t n_words;
	bool uses_stolen[BLOCK_INSNS_MAX]; /* by instruction: the register that points into the log */
	uint8_t stolen;
};

/* Adds instruction i of the block, which lies at va. False when its addresses are asked for and cannot be logged, or are too many. */
bool log_plan_add(struct log_plan *plan, size_t i, uint64_t va, const struct insn *insn, bool wants_words);

#endif
