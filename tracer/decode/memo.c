#include "decode/memo.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	MEMO_FOUND = 0x8000,
	/* Several times the number of python3 with its libraries. */
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

static uint8_t half_at(const uint8_t *bytes, size_t half)
{
	return half % 2 ? bytes[half / 2] & 15 : bytes[half / 2] >> 4;
}

static size_t head_bytes(const struct insn_known *known)
{
	if (known->effects.depends_on_values || known->insn.flow == FLOW_INTERRUPT)
		return known->insn.length;
	return (size_t)known->insn.length - known->insn.value_bytes;
}

static const struct insn_known *learn(struct insn_memo *memo, const uint8_t *bytes, size_t n_bytes)
{
	uint16_t node = 0;
	struct insn_known new;
	size_t n_halves;

	if (!insn_decode_effects(bytes, n_bytes, &new.insn, &new.effects))
		return NULL;
	if (memo->n_nodes + 2 * INSN_MAX_BYTES > NODES_MAX || memo->n_known == KNOWN_MAX)
		memo->n_nodes = memo->n_known = 0;
	if (!memo->n_nodes)
		add_node(memo);
	n_halves = 2 * head_bytes(&new);
	for (size_t i = 0; i + 1 < n_halves; i++) {
		uint8_t half = half_at(bytes, i);

		if (!memo->nodes[node][half]) {
			uint16_t added = add_node(memo);

			memo->nodes[node][half] = added;
		}
		node = memo->nodes[node][half];
		assert(node < MEMO_FOUND);
	}
	assert(!memo->nodes[node][half_at(bytes, n_halves - 1)]);
	memo->nodes[node][half_at(bytes, n_halves - 1)] = (uint16_t)(MEMO_FOUND | memo->n_known);
	*ARRAY_ADD(memo, known) = new;
	return &memo->known[memo->n_known - 1];
}

static bool is_relative(enum insn_flow flow)
{
	return flow == FLOW_BRANCH || flow == FLOW_JUMP || flow == FLOW_CALL;
}

static void put_values(struct insn *insn, const uint8_t *bytes, size_t n_head)
{
	size_t n_values = insn->length - n_head;
	int32_t word = 0;

	/* Nearly all calls have one of these sizes, which the compiler then knows. */
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
	memcpy((uint8_t *)&word + sizeof(word) - n_values, bytes + n_head, n_values);
	insn->displacement = word >> (sizeof(word) - n_values) * 8;
}

const struct insn_known *insn_memo_decode(struct insn_memo *memo, const uint8_t *bytes, size_t n_bytes)
{
	uint16_t at = 0;

	if (!memo->n_nodes)
		return learn(memo, bytes, n_bytes);
	for (size_t i = 0; i < n_bytes; i++) {
		at = memo->nodes[at][bytes[i] >> 4];
		if (!at)
			break;
		at = memo->nodes[at][bytes[i] & 15];
		if (!at)
			break;
		if (at & MEMO_FOUND) {
			struct insn_known *known = &memo->known[at - MEMO_FOUND];

			if (known->insn.length > n_bytes)
				return NULL;
			put_values(&known->insn, bytes, i + 1);
			return known;
		}
	}
	return learn(memo, bytes, n_bytes);
}
