/* Effective addresses: what one instruction accesses, from the registers before it.
 *
 * The words of an instruction are, in this order:
 *
 *   one for each memory operand that is read or written, in the order of insn_operands.operands: its first byte
 *   one more if it is a REP string instruction: its length, the bytes that its iterations went over, negative where addresses descend
 *
 * The address of an operand is its displacement, base, index times scale, and the base of FS or GS, cut to 32 bits before that base is
 * added where there is an address-size prefix (not on the stack). What is pushed lies below RSP, by its own width; what is popped, at RSP; POP to
 * memory adds its width to an address based on RSP. REP: where it was when it began, or went on after a signal.
 *
 * Not in the address: the bit offset of BT, BTC, BTR and BTS; AL of XLAT; the indices of gathers and scatters, which have one word
 * for all their elements.
 */
#ifndef ITRACE_DECODE_INSN_ADDRESS_H
#define ITRACE_DECODE_INSN_ADDRESS_H

#include "decode/insn_operands.h"

struct insn_registers {
	uint64_t general[INSN_N_GENERAL]; /* by enum insn_general */
	uint64_t next_va;		  /* of the instruction behind this one */
	uint64_t fs_base, gs_base;
};

/* Whether an operand has a word. */
bool insn_operand_is_access(const struct insn_operand *operand);

/* How many bytes one iteration of a REP string instruction goes over. */
uint32_t insn_iteration_bytes(const struct insn_operands *operands);

/* The number of words of an instruction. */
size_t insn_n_words(const struct insn_operands *operands);

/* The address of an operand that is an access. */
uint64_t insn_operand_va(const struct insn_operands *operands, const struct insn_operand *operand,
			 const struct insn_registers *registers);

/* Stores the words but the length in words[]; returns their number. */
size_t insn_addresses(const struct insn_operands *operands, const struct insn_registers *registers,
		      uint64_t words[INSN_MAX_OPERANDS]);

#endif
