/* Decodes each kind of instruction once. With few exceptions, all properties of an instruction follow from its head:
 * the bytes before displacement and immediates. A query for a known head only stores the displacement and immediates
 * of the instruction into the earlier result. */
#ifndef ITRACE_DECODE_MEMO_H
#define ITRACE_DECODE_MEMO_H

#include "decode/effects.h"

struct insn_known {
	struct insn insn;
	struct insn_effects effects;
};

/* The caller zeroes the struct before the first use. */
struct insn_memo {
	/* A tree of heads. Each level is a nibble, the upper nibble of a byte first. An entry is 0 if the head is
	 * unknown. Else, with the bit MEMO_FOUND (memo.c), its other bits are an index in known; without it, the
	 * entry is an index in nodes. */
	uint16_t (*nodes)[16];
	size_t n_nodes, nodes_capacity;
	struct insn_known *known; /* [n_known]; displacement and immediates are those of the last query */
	size_t n_known, known_capacity;
};

void insn_memo_deinit(struct insn_memo *memo);

/* Like insn_decode_effects, with NULL in place of false. The result is valid until the next call. */
const struct insn_known *insn_memo_decode(struct insn_memo *memo, const uint8_t *bytes, size_t n_bytes);

#endif
