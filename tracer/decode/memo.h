/* Decodes each kind of instruction once. What is said of an instruction follows from its head, the bytes before displacement and immediates, with
 * few exceptions; so those with the same head are decoded by putting their values into what the first one was decoded to. */
#ifndef ITRACE_DECODE_MEMO_H
#define ITRACE_DECODE_MEMO_H

#include "decode/effects.h"

struct insn_known {
	struct insn insn;
	struct insn_effects effects;
};

/* All bits 0: nothing is known yet. */
struct insn_memo {
	/* A tree that heads are looked up in by halves of bytes, the upper one first: 0: unknown; with MEMO_FOUND: index in known; else index in
	 * nodes. */
	uint16_t (*nodes)[16];
	size_t n_nodes, nodes_capacity;
	struct insn_known *known; /* [n_known] with the values that it was last asked with */
	size_t n_known, known_capacity;
};

void insn_memo_deinit(struct insn_memo *memo);

/* As insn_decode_effects; NULL in place of false. Valid until the next call. */
const struct insn_known *insn_memo_decode(struct insn_memo *memo, const uint8_t *bytes, size_t n_bytes);

#endif
