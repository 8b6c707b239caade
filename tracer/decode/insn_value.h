/* What is certain of general registers behind an instruction: that one holds what a register held before it, plus a constant, or a constant.
 *
 * That is said of MOV, LEA, ADD, SUB, INC and DEC of 64-bit registers and immediates, of XOR of a register with itself, and of RSP where the stack
 * moves: PUSH, POP, CALL, RET. Of other registers that an instruction writes nothing is known.
 */
#ifndef ITRACE_DECODE_INSN_VALUE_H
#define ITRACE_DECODE_INSN_VALUE_H

#include "decode/insn_operands.h"

#define INSN_VALUE_CONSTANT UINT8_MAX

struct insn_value {
	uint8_t reg;  /* that is written */
	uint8_t from; /* whose value before is a part of it, or INSN_VALUE_CONSTANT */
	uint64_t more;
};

/* Of the instruction at bytes, whose operands these are and which ends at next_va. False: nothing is known of what it writes. */
bool insn_value(const uint8_t *bytes, size_t length, const struct insn_operands *operands, uint64_t next_va,
		struct insn_value *out);

#endif
