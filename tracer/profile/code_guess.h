/* Guesses the next instruction after those before it: where it lies and what its bytes are (FORMAT.md, "Code"). Writing and
 * reading share it. Private to profile/. */
#ifndef ITRACE_PROFILE_CODE_GUESS_H
#define ITRACE_PROFILE_CODE_GUESS_H

#include "profile/bytes.h"
#include "profile/profile.h"

#define CODE_GUESS_TARGETS 32
#define CODE_GUESS_AHEAD 64

/* To be zeroed. */
struct code_guess {
	uint64_t end_va;   /* of the instruction before */
	bool is_at_target; /* this instruction is one that jumps before it lead to */
	uint64_t opcode, opcodes,
		opcode_before;		  /* of the instruction before; of that and its operands, of the last three */
	uint64_t operand, operand_before; /* its ModRM and SIB */
	uint64_t last_operand[256];	  /* by opcode */
	uint64_t last_displacement[256];  /* by operand */
	uint64_t last_address, last_call; /* RIP-relative; called */
	unsigned known_targets;		  /* whether the last three jumps led to such; a bit each */
	uint64_t targets[CODE_GUESS_TARGETS]; /* of direct jumps, the latest one first */
	unsigned n_targets;
	uint64_t ahead[CODE_GUESS_AHEAD]; /* of direct jumps, those behind end_va that are nearest; descending */
	size_t n_ahead;
};

/* The address. To be called first, then code_guess_bytes, for each instruction in order. */
void code_guess_address(struct code_guess *guess, const struct bytes_io *io, struct profile_insn *insn);

/* Length and bytes of an instruction whose address, module and function are known. */
void code_guess_bytes(struct code_guess *guess, const struct bytes_io *io, struct profile_insn *insn);

#endif
