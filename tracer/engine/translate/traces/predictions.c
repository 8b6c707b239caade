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

struct prediction *predictions_add(struct predictions *predictions, uint64_t va, uint64_t target_va)
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
	struct prediction *prediction = predictions_add(predictions, va, target_va);

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
