/* An <instruction> of uops.info's file, and the form (tracer/decode/FORMS.md) that it describes. Private to
 * costmodels/. */
#ifndef ITRACE_COSTMODELS_UOPS_INFO_FORM_H
#define ITRACE_COSTMODELS_UOPS_INFO_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/insn.h"

#define UOPS_MAX_OPERANDS 16
#define UOPS_TEXT_BYTES 64

enum uops_operand_type {
	UOPS_OTHER,
	UOPS_REGISTER,
	UOPS_MEMORY,
	UOPS_ADDRESS,
	UOPS_IMMEDIATE,
	UOPS_BRANCH,
	UOPS_FLAGS
};

struct uops_operand {
	enum uops_operand_type type;
	unsigned idx; /* as latencies refer to it */
	unsigned width;
	bool is_suppressed, is_implicit, is_mask, is_moffs, is_read, is_written;
	char vsib;		      /* 'X', 'Y' or 'Z': the register of indices; 0: no gather */
	char suffix[UOPS_TEXT_BYTES]; /* "{1to8}" */
	char first[UOPS_TEXT_BYTES];  /* the first of its registers, or an implicit constant */
	unsigned position;	      /* in the form, from 1; 0: it does not show */
};

struct uops_instruction {
	char iclass[UOPS_TEXT_BYTES], string[UOPS_TEXT_BYTES];
	bool is_zeroing, is_rounding, is_sae;
	struct uops_operand operands[UOPS_MAX_OPERANDS];
	size_t n_operands;
	bool is_unusable; /* it has more or longer parts than any instruction */
};

/* Makes the text, and sets the operands' positions. False if there is no form for it. *is_special: it names a
 * register where others could stand, as the short encodings for the accumulator do. */
bool uops_form(struct uops_instruction *instruction, char text[FORM_TEXT_BYTES], bool *is_special);

#endif
