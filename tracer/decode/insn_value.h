/* Known values of general registers after an instruction: a constant, or the former value of a register plus a
 * constant.
 *
 * The value is known after MOV, LEA, ADD, SUB, INC and DEC of 64-bit registers and immediates, after XOR of a
 * register with itself, and for RSP after PUSH, POP, CALL and RET. All other values are unknown.
 */
#ifndef ITRACE_DECODE_INSN_VALUE_H
#define ITRACE_DECODE_INSN_VALUE_H

#include "decode/insn_operands.h"

#define INSN_VALUE_CONSTANT UINT8_MAX

struct insn_value {
	uint8_t reg;	 /* the written register, by its number in encodings (REGISTER_GENERAL) */
	uint8_t from;	 /* the register whose former value is added, or INSN_VALUE_CONSTANT */
	uint64_t addend; /* the constant, or the number added to the value of `from`, modulo 2^64 */
};

/* Finds the value that the instruction writes. `operands` are the operands of the instruction, and next_va is its end
 * address. Returns false if the value is unknown. */
bool insn_find_value(const uint8_t *bytes, size_t length, const struct insn_operands *operands, uint64_t next_va,
		     struct insn_value *out);

#endif
