#include "engine/translate/contexts/collect.h"

#include <assert.h>
#include <string.h>

#include "engine/translate/contexts/edge_counts.h"
#include "engine/translate/log/log.h"
#include "engine/visits/counting.h"

static void collect_fragment(struct translator *translator, struct task *task, const struct fragment *fragment,
			     const uint64_t *values)
{
	struct fragment_insn *insns = translator_insns(translator, fragment);
	uint64_t executions = values[0];
	size_t at = 1;

	for (size_t i = 0; i < fragment->n_insns; i++) {
		struct insn_counters found = fragments_read_counters(&translator->fragments, fragment, values, i, &at);

		if (executions || found.iterations)
			task_add_counts(translator->engine, task, translator_insn_index(translator, &insns[i]),
					executions, found.iterations);
		if (i + 1 == fragment->n_insns) {
			edge_counts_add_last(translator, task, fragment, executions, found.n_branch);
			break;
		}
		executions -= found.n_side_exits;
		edge_counts_add_inner(translator, task, fragment, i,
				      (struct inner_counts){.n_on = executions, .n_side = found.n_side_exits});
	}
	assert(at == fragment->n_counters);
}

void collect_partial_fragment(struct translator *translator, struct task *task, const struct fragment *fragment,
			      size_t n_insns)
{
	struct fragment_insn *insns = translator_insns(translator, fragment);

	for (size_t i = 0; i < n_insns; i++) {
		task_add_counts(translator->engine, task, translator_insn_index(translator, &insns[i]), 1, 0);
		if (i + 1 < n_insns)
			edge_counts_add_inner(translator, task, fragment, i, (struct inner_counts){.n_on = 1});
	}
}

static bool is_any_set(const uint64_t *values, size_t n_values)
{
	for (size_t i = 0; i < n_values; i++)
		if (values[i])
			return true;
	return false;
}

static void collect_syscalls(struct translator *translator, struct task *task)
{
	uint64_t *counts = area_word(task->area, AREA_SYSCALL_COUNTS);

	for (int64_t number = 0; number < SYSCALL_NUMBERS; number++) {
		for (size_t i = 0; counts[number] && i < task->n_counting; i++)
			profile_count_syscalls(translator->engine->profile, task->counting[i], number, false,
					       counts[number]);
		counts[number] = 0;
	}
}

static void collect_area(struct translator *translator, struct task *task)
{
	struct schedule *schedule = &translator->traces.schedule;
	uint64_t *values;
	size_t n_counters;

	if (!task->area)
		return;
	log_drain(translator, task);
	edge_counts_add_records(translator, task);
	values = area_word(task->area, AREA_COUNTERS);
	for (uint32_t i = 0; i < translator->fragments.n_counters; i += (uint32_t)n_counters) {
		const struct counter *counter = translator_counter(translator, i);
		const struct fragment *fragment = translator_fragment(translator, counter->fragment);

		n_counters = counter->kind == COUNTER_FRAGMENT ? fragment->n_counters : 1;
		assert(counter->kind == COUNTER_FRAGMENT || counter->kind == COUNTER_INDIRECT_EDGE);
		if (!is_any_set(&values[i], n_counters))
			continue;
		if (counter->kind == COUNTER_FRAGMENT) {
			schedule->n_collected += values[i];
			collect_fragment(translator, task, fragment, &values[i]);
		} else {
			edge_counts_add_indirect(translator, task, counter, values[i]);
		}
		memset(&values[i], 0, n_counters * sizeof(*values));
	}
	schedule->n_entries = schedule->n_cold = 0;
	collect_syscalls(translator, task);
}

void collect_counters(struct translator *translator, struct task *task)
{
	collect_area(translator, task);
	if (!task->idle.area)
		return;
	task_swap_counting(translator->engine, task);
	collect_area(translator, task);
	task_swap_counting(translator->engine, task);
}
