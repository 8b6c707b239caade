/* Where indirect transfers led, where they are counted: it is known of each, so that traces go on where most did. */
#include <stdlib.h>

#include "base/array.h"
#include "engine/translate/translator.h"

struct pairs {
	struct va_map at;
	/* Transfers from one address to another one. */
	struct pair {
		uint64_t va, target_va, count;
	} * pairs;
	size_t n_pairs, pairs_capacity;
};

static void add_pair(struct pairs *pairs, uint64_t va, uint64_t target_va, uint64_t count)
{
	/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
	uint64_t key = va * UINT64_C(0x9e3779b97f4a7c15) + target_va;
	uint32_t i = va_map_get(&pairs->at, key);

	if (!count)
		return;
	if (i != VA_MAP_NONE) {
		pairs->pairs[i].count += count;
		return;
	}
	va_map_set(&pairs->at, key, (uint32_t)pairs->n_pairs);
	*ARRAY_ADD(pairs, pairs) = (struct pair){va, target_va, count};
}

static void add_landed(const struct translator *translator, struct pairs *pairs, const struct counter *counter,
		       uint64_t count)
{
	const struct block *from = &translator->blocks[counter->block];

	add_pair(pairs, translator->insns[from->first_insn + counter->insn].va, translator->blocks[counter->to].va,
		 count);
}

/* Those in the midst of a block, but for returns that belong to one of its calls, which say nothing of others. */
static void add_inner(const struct translator *translator, struct pairs *pairs, const struct block *block,
		      const uint64_t *values)
{
	const struct block_insn *insns = &translator->insns[block->first_insn];
	const struct counter *counters = &translator->counters[block->counter];
	uint64_t executions = values[0];
	size_t depth = 0, at = 1;

	for (size_t i = 0; i + 1 < block->n_insns; i++) {
		enum insn_flow flow = insns[i].insn.flow;

		for (; at < block->n_counters && counters[at].insn <= i; at++)
			executions -= counters[at].kind == COUNTER_SIDE ? values[at] : 0;
		if (flow == FLOW_RETURN && depth)
			depth--;
		else if (flow_is_indirect(flow))
			add_pair(pairs, insns[i].va, insns[i + 1].va, executions);
		depth += flow == FLOW_CALL || flow == FLOW_CALL_INDIRECT;
	}
}

static void weigh(struct translator *translator, const struct pair *pair)
{
	struct guess *guess = traces_add_guess(translator, pair->va, pair->target_va);

	if (pair->count > guess->n_same) {
		guess->n_others += guess->n_same;
		guess->n_same = pair->count;
		guess->target_va = pair->target_va;
	} else {
		guess->n_others += pair->count;
	}
	guess->is_bad = guess->n_others > (guess->n_same + guess->n_others) / GUESS_MOSTLY;
}

void pairs_guess(struct translator *translator, const uint64_t *values)
{
	struct pairs pairs = {0};

	for (size_t i = 0; i < translator->n_counters; i++) {
		const struct counter *counter = &translator->counters[i];

		if (counter->kind == COUNTER_LANDED)
			add_landed(translator, &pairs, counter, values[i]);
		else if (counter->kind == COUNTER_BLOCK && values[i])
			add_inner(translator, &pairs, &translator->blocks[counter->block], &values[i]);
	}
	va_map_clear(&translator->guess_at);
	translator->n_guesses = 0;
	for (size_t i = 0; i < pairs.n_pairs; i++)
		weigh(translator, &pairs.pairs[i]);
	va_map_deinit(&pairs.at);
	free(pairs.pairs);
}
