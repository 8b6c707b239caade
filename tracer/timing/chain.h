/* Short sequences that move a value from one register to another in a known time. They close the loop in which the
 * latency of an instruction is measured. */
#ifndef ITRACE_TIMING_CHAIN_H
#define ITRACE_TIMING_CHAIN_H

#include "decode/encode.h"
#include "timing/clock.h"

/* Registers that sequences use, besides those that an instruction under test names. */
enum {
	CHAIN_BASE = GENERAL_RSI, /* of the data, in memory operands */
	CHAIN_CARRIER = 12,	  /* R12: a value on its way between two register files */
	CHAIN_ZERO = 13,	  /* R13: holds 0 */
	CHAIN_CONSTANT = 14,	  /* R14: a source that nothing writes; also of vector registers */
	CHAIN_FIRST_MASK = 1,
	CHAIN_CONSTANT_MASK_MMX = 7, /* the same for masks and MMX, which have eight registers */
};

enum place_kind {
	PLACE_GENERAL,
	PLACE_HIGH, /* AH, CH, DH, BH by number 0 to 3 */
	PLACE_VECTOR,
	PLACE_MMX,
	PLACE_MASK,
	PLACE_FLAGS,
	PLACE_ADDRESS, /* the base of a memory operand */
};

/* A register, the flags or an address, from which an instruction reads a value or to which it writes one. */
struct place {
	enum place_kind kind;
	uint8_t number;
	uint32_t flags; /* PLACE_FLAGS: bits of RFLAGS */
};

struct sequence {
	uint8_t bytes[2048];
	size_t n_bytes;
};

/* Thousandths of a cycle that each kind of step takes on this CPU. */
struct chain_costs {
	int64_t general, high, vector, mmx, mask, to_flags, from_flags, to_address;
	int64_t to_vector_avx; /* by VMOVQ, which takes a cycle less than MOVQ on Zen 4 */
	int64_t vector_load;   /* a load, a move to the carrier and one to the address */
	int64_t blend;	       /* of vectors by a mask, from the source */
	int64_t to_blend;      /* the same from the carrier through the mask and back to the carrier */
	int64_t to_file[PLACE_MASK + 1], from_file[PLACE_MASK + 1]; /* by enum place_kind, to and from the carrier */
};

/* The execution units of a move between vector registers. CPUs may delay a value that passes from one kind of unit to
 * the other. */
enum chain_domain { CHAIN_INTEGER, CHAIN_FLOAT };

/* Appends the instruction. Returns false if it cannot be encoded or there is no room. */
bool sequence_append(struct sequence *sequence, const char *form_text, const struct insn_choice *choice);

/* Appends a step from one place to another. Returns the thousandths of a cycle that it takes, or -1 if there is no
 * step. `encoding` is that of the instruction under test, because SSE and AVX do not mix. */
int64_t chain_append(struct sequence *sequence, const struct chain_costs *costs, const struct place *from,
		     const struct place *to, enum insn_encoding encoding, enum chain_domain domain);

/* Appends an instruction that writes to the place and depends on no earlier instruction. It gives a general register
 * its first value (state), and a vector register a value that suits the encoding. keeps_flags: the instruction must
 * not change the flags. */
bool chain_append_break(struct sequence *sequence, const struct timed_code_state *state, const struct place *place,
			enum insn_encoding encoding, bool keeps_flags);

/* Measures the steps. vector_load_mcyc is the documented latency of a load to a vector register; 0: not known. Error:
 * the clock is too noisy. */
bool chain_measure_costs(struct clock *clock, struct timed_code *code, int64_t vector_load_mcyc,
			 struct chain_costs *out, struct error *err);

#endif
