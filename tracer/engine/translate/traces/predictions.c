#include "engine/translate/traces/predictions.h"

#include <stdlib.h>

#include "base/array.h"
#include "engine/translate/traces/seed.h"

enum { SAMPLES_MIN = 2 }; /* samples of a branch, all with the same target, before a trace follows it */

void predictions_deinit(struct predictions *predictions)
{
	va_map_deinit(&predictions->at);
	free(predictions->list);
}

void predictions_clear(struct predictions *predictions)
{
	va_map_clear(&predictions->at);
	predictions->n_list = 0;
}

struct prediction *predictions_find(const struct predictions *predictions, uint64_t va)
{
	uint32_t i = va_map_get(&predictions->at, va);

	return i == VA_MAP_NONE ? NULL : &predictions->list[i];
}

/* As predictions_find; adds a prediction of target_va if there is none. */
static struct prediction *find_or_add(struct predictions *predictions, uint64_t va, uint64_t target_va)
{
	struct prediction *prediction = predictions_find(predictions, va);

	if (prediction)
		return prediction;
	va_map_set(&predictions->at, va, (uint32_t)predictions->n_list);
	prediction = ARRAY_ADD(predictions, list);
	prediction->target_va = target_va;
	return prediction;
}

static void add_sample(struct predictions *predictions, uint64_t va, uint64_t target_va)
{
	struct prediction *prediction = find_or_add(predictions, va, target_va);

	prediction->n_expected += prediction->target_va == target_va;
	prediction->n_other += prediction->target_va != target_va;
	prediction->is_unpredictable |= prediction->n_other != 0;
}

void predictions_sample(struct translator *translator, const struct task *task, unsigned now)
{
	uint64_t *values = area_word(task->area, AREA_COUNTERS);
	struct predictions *predictions = &translator->traces.predictions;
	const struct fragments *fragments = &translator->fragments;

	if (translator->wants_edges || predictions->sampled_tick == now)
		return;
	predictions->sampled_tick = now;
	for (size_t i = 0; i < fragments->n_target_counters; i++) {
		const struct counter *counter = &fragments->counters[fragments->target_counters[i]];
		const struct fragment *fragment = &fragments->fragments[counter->fragment];
		uint64_t target_va = values[fragments->target_counters[i]];

		if (!target_va)
			continue;
		values[fragments->target_counters[i]] = 0;
		add_sample(predictions, fragments->insns[fragment->first_insn + counter->insn].va, target_va);
	}
}

bool predictions_want_target(const struct translator *translator, const struct fragment_insn *insn)
{
	const struct prediction *prediction = predictions_find(&translator->traces.predictions, insn->va);

	return !translator->wants_edges && !(prediction && prediction->is_unpredictable);
}

uint64_t predictions_target(const struct translator *translator, uint64_t va)
{
	const struct prediction *prediction = predictions_find(&translator->traces.predictions, va);

	if (!prediction)
		return 0;
	if (seed_is_set(translator) || (!prediction->is_unpredictable && prediction->n_expected >= SAMPLES_MIN))
		return prediction->target_va;
	return 0;
}

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

static void add_indirect(const struct translator *translator, struct pairs *pairs, const struct counter *counter,
			 uint64_t count)
{
	const struct fragment *from = translator_fragment(translator, counter->fragment);

	add_pair(pairs, translator_insns(translator, from)[counter->insn].va,
		 translator_fragment(translator, counter->to)->va, count);
}

/* Adds the transfers inside a fragment. Leaves out a return to a call of the fragment, which predicts nothing for
 * other calls. */
static void add_inner(const struct translator *translator, struct pairs *pairs, const struct fragment *fragment,
		      const uint64_t *values)
{
	const struct fragment_insn *insns = translator_insns(translator, fragment);
	uint64_t executions = values[0];
	size_t depth = 0, at = 1;

	for (size_t i = 0; i + 1 < fragment->n_insns; i++) {
		enum insn_flow flow = insns[i].insn.flow;

		executions -= fragments_read_counters(&translator->fragments, fragment, values, i, &at).n_side_exits;
		if (flow == FLOW_RETURN && depth)
			depth--;
		else if (flow_is_indirect(flow))
			add_pair(pairs, insns[i].va, insns[i + 1].va, executions);
		depth += flow_is_call(flow);
	}
}

static void predict(struct predictions *predictions, const struct pair *pair)
{
	struct prediction *prediction = find_or_add(predictions, pair->va, pair->target_va);

	if (pair->count > prediction->n_expected) {
		prediction->n_other += prediction->n_expected;
		prediction->n_expected = pair->count;
		prediction->target_va = pair->target_va;
	} else {
		prediction->n_other += pair->count;
	}
	prediction->is_unpredictable = prediction->n_other >
				       (prediction->n_expected + prediction->n_other) / PREDICTIONS_MOSTLY;
}

void predictions_from_edges(struct translator *translator, const uint64_t *values)
{
	struct predictions *predictions = &translator->traces.predictions;
	struct pairs pairs = {0};

	for (uint32_t i = 0; i < translator->fragments.n_counters; i++) {
		const struct counter *counter = translator_counter(translator, i);

		if (counter->kind == COUNTER_INDIRECT_EDGE)
			add_indirect(translator, &pairs, counter, values[i]);
		else if (counter->kind == COUNTER_FRAGMENT && values[i])
			add_inner(translator, &pairs, translator_fragment(translator, counter->fragment), &values[i]);
	}
	predictions_clear(predictions);
	for (size_t i = 0; i < pairs.n_pairs; i++)
		predict(predictions, &pairs.pairs[i]);
	va_map_deinit(&pairs.at);
	free(pairs.pairs);
}
