/* The effects of an instruction that a translator needs besides struct insn: its use of the flags, the bytes that
 * depend on its position, and the behaviour of a copy at another address. Does not include Zydis. */
#ifndef ITRACE_DECODE_EFFECTS_H
#define ITRACE_DECODE_EFFECTS_H

#include "decode/insn.h"

/* The arithmetic flags, at their positions in RFLAGS. */
enum {
	FLAG_CF = 0x001,
	FLAG_PF = 0x004,
	FLAG_AF = 0x010,
	FLAG_ZF = 0x040,
	FLAG_SF = 0x080,
	FLAG_OF = 0x800,
	FLAGS_ALL = FLAG_CF | FLAG_PF | FLAG_AF | FLAG_ZF | FLAG_SF | FLAG_OF,
};

/* The behaviour of a copy of the instruction at another address. */
enum insn_copy {
	COPY_SAME,	 /* like the original, once a RIP-relative displacement is adjusted */
	COPY_TRANSFER,	 /* a near transfer of control in its common form; see struct insn's flow */
	COPY_SYSCALL,	 /* SYSCALL */
	COPY_MOVES_RSP,	 /* like COPY_SAME, but sets RSP to another value: longjmp, coroutines */
	COPY_RBP_TO_RSP, /* like COPY_MOVES_RSP with the value RBP + rbp_displacement: function end, longjmp */
	COPY_NEVER,	 /* reads or changes state that the translator uses itself, or is too rare */
} __attribute__((packed));

/* The condition of a conditional transfer. */
enum { CONDITION_COUNTER = 16 }; /* LOOP, LOOPE, LOOPNE, JRCXZ; smaller values are the condition code of Jcc */

struct insn_effects {
	int32_t rbp_displacement; /* COPY_RBP_TO_RSP */
	uint16_t flags_read;
	uint16_t flags_killed;	   /* always overwritten with values that do not depend on the former ones */
	uint16_t return_pop_bytes; /* FLOW_RETURN: the immediate of RET imm16 */
	enum insn_copy copy;
	bool writes_only_flags;
	bool is_multiword; /* ADC, SBB, NEG ...: the carry is usually the input of the next word of a long number */
	uint8_t displacement_offset; /* of the disp32 of a RIP-relative memory operand; 0: there is none */
	uint8_t condition;	     /* FLOW_BRANCH */
	bool is_early_ending;	     /* REP CMPS and SCAS, which can end before the counter is 0 */
	bool has_gs;	/* its memory operand is relative to the base of GS, which the translator uses itself */
	bool reads_r11; /* its effects depend on R11, or it writes only a part of R11 */
	bool writes_r11;
	bool depends_on_values; /* some members of this struct depend on the values of displacement and immediates */
};

/* Like insn_decode, and also finds the effects. */
bool insn_decode_effects(const uint8_t *bytes, size_t n_bytes, struct insn *insn, struct insn_effects *out);

#endif
