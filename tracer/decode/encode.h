/* Encodes an instruction of a given form. Free of Zydis. */
#ifndef ITRACE_DECODE_ENCODE_H
#define ITRACE_DECODE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn.h"

#define INSN_MAX_FORM_OPERANDS 6

/* The registers and values of an instruction. */
struct insn_choice {
	/* For each operand of the form, the number of its register in encodings (general registers: enum insn_general;
	 * AH, CH, DH and BH: 0 to 3), or of the base of a memory operand. */
	uint8_t registers[INSN_MAX_FORM_OPERANDS];
	uint8_t index; /* of an address: a general register; of a gather or scatter: a vector register */
	uint8_t mask;  /* of {k} */
	int32_t displacement;
	/* 0 to 127. For an operand of more than 8 bits, encode.c adds a constant that needs the full width. A shift by
	 * 1 has another form than a shift by `imm8`. */
	uint8_t immediate;
};

/* Encodes an instruction whose form is exactly form_text (FORMS.md). Returns its length, or 0 if there is none with
 * these registers. */
size_t insn_encode(const char *form_text, const struct insn_choice *choice, uint8_t bytes[INSN_MAX_BYTES]);

#endif
