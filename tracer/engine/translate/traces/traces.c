#include "engine/translate/traces/traces.h"

#include "engine/translate/traces/exec_counts.h"
#include "engine/translate/traces/predictions.h"
#include "engine/translate/traces/schedule.h"

void traces_reset(struct traces *traces)
{
	struct schedule *schedule = &traces->schedule;

	schedule->n_ticks_wanted = 0;
	schedule->phase_changed = false;
	schedule->n_collected = 0;
	va_map_deinit(&traces->exec_counts);
	va_map_deinit(&traces->branch_exec_counts);
	predictions_clear(&traces->predictions);
}

void traces_deinit(struct traces *traces)
{
	va_map_deinit(&traces->exec_counts);
	va_map_deinit(&traces->branch_exec_counts);
	predictions_deinit(&traces->predictions);
}

/* Adds executions to each part of a fragment between two transfers. */
static void add_fragment(struct translator *translator, const struct fragment *fragment, const uint64_t *values)
{
	const struct fragment_insn *insns = translator_insns(translator, fragment);
	struct traces *traces = &translator->traces;
	uint64_t executions = values[0];
	size_t at = 1;

	exec_counts_add(&traces->exec_counts, fragment->va, executions);
	for (size_t i = 0; i + 1 < fragment->n_insns; i++) {
		struct insn_counters counters = fragments_read_counters(&translator->fragments, fragment, values, i,
									&at);
		struct prediction *prediction;

		if (insns[i].insn.flow == FLOW_NEXT)
			continue;
		exec_counts_add(&traces->branch_exec_counts, insns[i].va, executions);
		prediction = counters.n_side_exits ? predictions_find(&traces->predictions, insns[i].va) : NULL;
		if (prediction && counters.n_side_exits > executions / PREDICTIONS_MOSTLY)
			prediction->is_unpredictable = true;
		executions -= counters.n_side_exits;
		exec_counts_add(&traces->exec_counts, insns[i + 1].va, executions);
	}
	exec_counts_add(&traces->branch_exec_counts, insns[fragment->n_insns - 1].va, executions);
}

bool traces_learn(struct translator *translator, const struct task *task)
{
	const uint64_t *values = area_word(task->area, AREA_COUNTERS);

	if (!schedule_begin(translator, task))
		return false;
	predictions_sample(translator, task, schedule_now(translator));
	va_map_deinit(&translator->traces.exec_counts);
	va_map_deinit(&translator->traces.branch_exec_counts);
	for (uint32_t i = 0; i < translator->fragments.n_counters; i++) {
		const struct counter *counter = translator_counter(translator, i);

		if (counter->kind == COUNTER_FRAGMENT)
			add_fragment(translator, translator_fragment(translator, counter->fragment), &values[i]);
	}
	if (translator->wants_edges)
		predictions_from_edges(translator, values);
	translator->is_outdated = true;
	return true;
}
