/* Known values of general registers after an instruction: a constant, or the former value of a register plus a
 * constant.
 *
 * They are known after MOV, LEA, ADD, SUB, INC and DEC of 64-bit registers and immediates, after XOR of a register
 * with itself, and for RSP after PUSH, POP, CALL and RET. Other written registers are unknown.
 */
#ifndef ITRACE_DECODE_INSN_VALUE_H
#define ITRACE_DECODE_INSN_VALUE_H

#include "decode/insn_operands.h"

#define INSN_VALUE_CONSTANT UINT8_MAX

struct insn_value {
	uint8_t reg;  /* the written register */
	uint8_t from; /* the register whose former value is added, or INSN_VALUE_CONSTANT */
	uint64_t more;
};

/* Finds the value for the instruction at `bytes` with these operands, which ends at next_va. False if it is unknown. */
bool insn_value(const uint8_t *bytes, size_t length, const struct insn_operands *operands, uint64_t next_va,
		struct insn_value *out);

#endif
