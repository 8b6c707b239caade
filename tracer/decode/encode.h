/* Encodes an instruction of a given form. Does not include Zydis. */
#ifndef ITRACE_DECODE_ENCODE_H
#define ITRACE_DECODE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn.h"

#define INSN_MAX_FORM_OPERANDS 6

/* The registers and values of an instruction. */
struct insn_choice {
	/* For each operand of the form: the number of its register, or of the base of a memory operand. General
	 * registers are numbered as in enum insn_general, and AH, CH, DH and BH are 0 to 3. */
	uint8_t registers[INSN_MAX_FORM_OPERANDS];
	uint8_t index; /* of an address, a general register; of a gather or scatter, a vector register */
	uint8_t mask;  /* the mask register of {k} */
	int32_t displacement;
	/* 0 to 127. For an operand of more than 8 bits, encode.c adds a constant that needs the full width. Not 1 for
	 * a shift by `imm8`, because a shift by 1 has another form. */
	uint8_t immediate;
};

/* Encodes an instruction whose form is exactly form_text (FORMS.md). Returns its length, or 0 if there is no such
 * instruction with these registers. */
size_t insn_encode(const char *form_text, const struct insn_choice *choice, uint8_t bytes[INSN_MAX_BYTES]);

#endif
