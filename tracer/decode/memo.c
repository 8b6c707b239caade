#include "decode/memo.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	MEMO_FOUND = 0x8000, /* bit of an entry: its other bits are an index in `known`, not in `nodes` */
	/* Several times what a run of python3 with its libraries needs. */
	NODES_MAX = MEMO_FOUND,
	KNOWN_MAX = MEMO_FOUND,
};

void insn_memo_deinit(struct insn_memo *memo)
{
	free(memo->nodes);
	free(memo->known);
	*memo = (struct insn_memo){0};
}

static uint16_t add_node(struct insn_memo *memo)
{
	ARRAY_ADD(memo, nodes);
	return (uint16_t)(memo->n_nodes - 1);
}

static uint8_t nibble_at(const uint8_t *bytes, size_t i)
{
	return i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4;
}

/* The head ends before displacement and immediates. The whole instruction is the head if other properties depend on
 * these, and for INT n, whose immediate is insn.interrupt_vector. */
static size_t head_bytes(const struct insn_known *known)
{
	if (known->effects.depends_on_values || known->insn.flow == FLOW_INTERRUPT)
		return known->insn.length;
	return (size_t)known->insn.length - known->insn.trailing_constant_bytes;
}

static const struct insn_known *learn(struct insn_memo *memo, const uint8_t *bytes, size_t n_bytes)
{
	uint16_t node = 0;
	struct insn_known new;
	size_t n_nibbles;

	if (!insn_decode_effects(bytes, n_bytes, &new.insn, &new.effects))
		return NULL;
	if (memo->n_nodes + 2 * INSN_MAX_BYTES > NODES_MAX || memo->n_known == KNOWN_MAX)
		memo->n_nodes = memo->n_known = 0; /* a full memo is emptied */
	if (!memo->n_nodes)
		add_node(memo);
	n_nibbles = 2 * head_bytes(&new);
	for (size_t i = 0; i + 1 < n_nibbles; i++) {
		uint8_t nibble = nibble_at(bytes, i);

		if (!memo->nodes[node][nibble]) {
			uint16_t added = add_node(memo);

			memo->nodes[node][nibble] = added;
		}
		node = memo->nodes[node][nibble];
		assert(node < MEMO_FOUND);
	}
	assert(!memo->nodes[node][nibble_at(bytes, n_nibbles - 1)]);
	memo->nodes[node][nibble_at(bytes, n_nibbles - 1)] = (uint16_t)(MEMO_FOUND | memo->n_known);
	*ARRAY_ADD(memo, known) = new;
	return &memo->known[memo->n_known - 1];
}

static bool is_relative(enum insn_flow flow)
{
	return flow == FLOW_BRANCH || flow == FLOW_JUMP || flow == FLOW_CALL;
}

/* Stores the instruction's own displacement and immediates, which follow its head of n_head bytes. */
static void put_values(struct insn *insn, const uint8_t *bytes, size_t n_head)
{
	size_t n_values = insn->length - n_head;
	int32_t word = 0;

	/* Most values have 1 or 4 bytes. With a constant size, the compiler inlines the copy. */
	if (n_values == 0)
		return;
	if (n_values == 1)
		insn->bytes[n_head] = bytes[n_head];
	else if (n_values == sizeof(word))
		memcpy(insn->bytes + n_head, bytes + n_head, sizeof(word));
	else
		memcpy(insn->bytes + n_head, bytes + n_head, n_values);
	if (!is_relative(insn->flow))
		return;
	/* The branch displacement is copied to the upper end of the word. The arithmetic shift extends its sign. */
	memcpy((uint8_t *)&word + sizeof(word) - n_values, bytes + n_head, n_values);
	insn->displacement = word >> (sizeof(word) - n_values) * 8;
}

const struct insn_known *insn_memo_decode(struct insn_memo *memo, const uint8_t *bytes, size_t n_bytes)
{
	uint16_t node = 0;

	if (!memo->n_nodes)
		return learn(memo, bytes, n_bytes);
	for (size_t i = 0; i < n_bytes; i++) {
		node = memo->nodes[node][bytes[i] >> 4];
		if (!node)
			break;
		node = memo->nodes[node][bytes[i] & 15];
		if (!node)
			break;
		if (node & MEMO_FOUND) {
			struct insn_known *known = &memo->known[node - MEMO_FOUND];

			if (known->insn.length > n_bytes)
				return NULL;
			put_values(&known->insn, bytes, i + 1);
			return known;
		}
	}
	return learn(memo, bytes, n_bytes);
}
