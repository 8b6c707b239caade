/* What a translator must know of an instruction besides struct insn: how it touches the flags, which of its bytes depend on where it
 * stands, and whether a copy of it does the same elsewhere.
 *
 * Free of Zydis.
 */
#ifndef ITRACE_DECODE_EFFECTS_H
#define ITRACE_DECODE_EFFECTS_H

#include "decode/insn.h"

/* The arithmetic flags, by their places in RFLAGS. */
enum {
	FLAG_CF = 0x001,
	FLAG_PF = 0x004,
	FLAG_AF = 0x010,
	FLAG_ZF = 0x040,
	FLAG_SF = 0x080,
	FLAG_OF = 0x800,
	FLAGS_ALL = FLAG_CF | FLAG_PF | FLAG_AF | FLAG_ZF | FLAG_SF | FLAG_OF,
};

/* How a copy of the instruction elsewhere behaves. */
enum insn_copy {
	COPY_SAME,	/* as the original, once a RIP-relative displacement is adjusted */
	COPY_TRANSFER,	/* a near transfer of control in its common form: see struct insn's flow */
	COPY_SYSCALL,	/* SYSCALL */
	COPY_MOVES_RSP, /* as COPY_SAME, but gives RSP a value from elsewhere: longjmp, coroutines */
	COPY_RBP_TO_RSP, /* the same, the value is RBP plus rbp_displacement: the end of a function, or the like of longjmp */
	COPY_NEVER, /* sees or changes what a translator uses for itself, or is too odd */
} __attribute__((packed));

/* How a conditional transfer decides. */
enum { CONDITION_COUNTER = 16 }; /* LOOP, LOOPE, LOOPNE, JRCXZ; below: the condition code of Jcc */

struct insn_effects {
	int32_t rbp_displacement; /* COPY_RBP_TO_RSP */
	uint16_t flags_read;
	uint16_t flags_killed; /* certainly overwritten, with values that do not depend on the former ones */
	uint16_t return_pops;  /* FLOW_RETURN: RET imm16 */
	enum insn_copy copy;
	bool only_compares;	     /* writes flags and nothing else */
	bool carries_on;	     /* one word of several, as a rule: its flags are for the next one */
	uint8_t displacement_offset; /* of the disp32 of a RIP-relative memory operand; 0: none */
	uint8_t condition;	     /* FLOW_BRANCH */
	bool is_early_ending;	     /* REP CMPS and SCAS, which can end before the counter is 0 */
	bool reads_r11;		     /* what it does or leaves in R11 depends on R11 */
	bool writes_r11;
	bool depends_on_values; /* some of this, on those of displacement and immediates */
};

/* As insn_decode, and what is said here of the instruction. */
bool insn_decode_effects(const uint8_t *bytes, size_t n_bytes, struct insn *insn, struct insn_effects *out);

/* Makes, from an indirect near jump or call, the MOV that loads its target into R11. Returns its length; the RIP-relative
 * displacement, if there is one, stays at the same distance from the end and is moved to *displacement_offset. */
uint8_t insn_load_target(const struct insn *insn, uint8_t bytes[INSN_MAX_BYTES], uint8_t *displacement_offset);

/* Makes, from an instruction that has a RIP-relative memory operand and does not depend on R11, the same with [R11] for that. Returns its
 * length; 0 when there is no such instruction. */
uint8_t insn_address_by_r11(const struct insn *insn, uint8_t bytes[INSN_MAX_BYTES]);

#endif
