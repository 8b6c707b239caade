/* The parts of a form's text (tracer/decode/FORMS.md). */
#ifndef ITRACE_COSTMODELS_MODEL_FORM_TEXT_H
#define ITRACE_COSTMODELS_MODEL_FORM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define FORM_MAX_OPERANDS 6

struct form_operand {
	const char *text; /* "r64", "m512{1to16}", "[b+i*s+d]" */
	size_t n_text;	  /* bytes without decorations: 4 of "m512{1to16}" */
	size_t n_kind;	  /* leading bytes that name the kind: 1 of "r64" and "r8h", 3 of "xmm" */
	unsigned width;	  /* in bits; 0 if the text gives none */
	bool is_masked, is_zeroing, is_rounding; /* {k}, {z}, {er} or {sae} */
	unsigned broadcast;			 /* elements of a broadcast: 16 for "{1to16}"; 0: no broadcast */
};

struct form_parts {
	size_t n_mnemonic; /* bytes of the mnemonic with its prefixes: 8 of "LOCK ADD m64, r64" */
	struct form_operand operands[FORM_MAX_OPERANDS];
	size_t n_operands;
	bool is_same; /* the form ends in " (same)" */
};

/* Returns whether an operand is of a kind: "r", "imm", "xmm". Case does not matter. */
bool form_operand_is(const struct form_operand *operand, const char *kind);
bool form_operand_is_vector(const struct form_operand *operand); /* mm, xmm, ymm, zmm */
bool form_operand_is_memory(const struct form_operand *operand); /* excludes the operands of LEA and of gathers */

/* Returns the length of the mnemonic with its prefixes. */
size_t form_text_mnemonic_bytes(const char *form_text);

/* Returns whether a row stands for all forms that match it: it has a `*` that is not the scale of an index. */
bool form_text_is_pattern(const char *form_text);

/* Parses a form. The parts refer to the text. Returns false if there are too many operands. */
bool form_text_parse(const char *form_text, struct form_parts *out);

#endif
