/* Decodes each kind of instruction once. With few exceptions, all properties of an instruction follow from its head:
 * the bytes before displacement and immediates. An instruction with a known head is decoded by storing its own values
 * into the earlier result. */
#ifndef ITRACE_DECODE_MEMO_H
#define ITRACE_DECODE_MEMO_H

#include "decode/effects.h"

struct insn_known {
	struct insn insn;
	struct insn_effects effects;
};

/* All bits 0 when nothing is known yet. */
struct insn_memo {
	/* A tree of heads by half bytes, the upper one first. 0: unknown; with MEMO_FOUND: an index in known; else an
	 * index in nodes. */
	uint16_t (*nodes)[16];
	size_t n_nodes, nodes_capacity;
	struct insn_known *known; /* [n_known] with the values of the last query */
	size_t n_known, known_capacity;
};

void insn_memo_deinit(struct insn_memo *memo);

/* Like insn_decode_effects, with NULL in place of false. The result is valid until the next call. */
const struct insn_known *insn_memo_decode(struct insn_memo *memo, const uint8_t *bytes, size_t n_bytes);

#endif
