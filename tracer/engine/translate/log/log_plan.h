/* What a block logs: as few words as tell all addresses of decode/insn_address.h, how each is made from registers, and how the addresses follow from
 * them.
 *
 * An address that is a word before it in the block and a constant, because the same registers are in both, or others that were made from
 * them (decode/insn_value.h), is not logged; nor is one that is a constant.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_LOG_PLAN_H
#define ITRACE_ENGINE_TRANSLATE_LOG_LOG_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn_address.h"
#include "engine/translate/fragments.h"
#include "stream/stream.h"

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

/* One of the words of decode/insn_address.h: a word of the record, or nothing, and a constant. */
struct log_address {
	uint8_t word; /* or LOG_NONE */
	uint64_t more;
};

enum {
	LOG_INSN_WORDS = INSN_MAX_OPERANDS + 1,
	LOG_WORDS_MAX = STREAM_LOGGED_MAX,
	LOG_ADDRESSES_MAX = STREAM_WORDS_MAX, /* on average four for each instruction */
};

/* A value that does not change: that of a register when the block began or was last written, or 0. */
struct log_value {
	uint16_t number; /* 0: 0 */
	uint64_t more;
};

struct log_plan {
	struct log_word words[LOG_WORDS_MAX + LOG_INSN_WORDS]; /* in order */
	size_t n_words;
	struct log_address addresses[LOG_ADDRESSES_MAX]; /* in order */
	size_t n_addresses;
	bool uses_stolen[BLOCK_INSNS_MAX]; /* by instruction: the register that points into the log */
	uint8_t stolen;

	struct log_value values[INSN_N_GENERAL]; /* that registers have, behind what was added so far */
	uint16_t n_values;
	/* What words are: the sum of two values, the second one times scale, of FS, and a constant. */
	struct log_sum {
		uint16_t base, index;
		uint8_t scale;
		bool has_fs;
		bool is_single; /* no other address is to follow from it */
		uint64_t constant;
	} sums[LOG_WORDS_MAX + LOG_INSN_WORDS]; /* [n_words] */
};

/* Of a block of which nothing is known yet. */
void log_plan_begin(struct log_plan *plan);

/* Adds instruction i of the block, which lies at va. False when its addresses are asked for and cannot be logged, or
 * are too many. */
bool log_plan_add(struct log_plan *plan, size_t i, uint64_t va, const struct insn *insn, bool wants_words);

#endif
