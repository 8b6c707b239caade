#include "engine/translate/contexts/collect.h"

#include <assert.h>
#include <string.h>

#include "engine/translate/log/log.h"
#include "engine/visits/counting.h"

const struct edge_record *collect_edge_records(const struct task *task, size_t *n_records)
{
	uint64_t free_bytes = *area_word(task->area, AREA_EDGES_FREE);

	*n_records = (EDGES_BYTES - free_bytes) / sizeof(struct edge_record);
	return (const struct edge_record *)(const void *)area_word(task->area, AREA_EDGES + free_bytes);
}

static void add_edge(const struct translator *translator, const struct task *task, uint32_t from, uint32_t to,
		     uint64_t count)
{
	struct profile *profile = translator->engine->profile;

	/* A step to the next instruction in memory is not an edge. */
	if (profile->insns[from].va + profile->insns[from].length == profile->insns[to].va)
		return;
	for (size_t i = 0; i < task->n_counting; i++)
		profile_count_edge(profile, task->counting[i], from, to, count);
}

/* Adds edges from an instruction to va. */
static void add_direct_edge(struct translator *translator, const struct task *task, struct fragment_insn *insn,
			    uint64_t va, uint64_t count)
{
	const struct address *known = addresses_find(&translator->addresses, va);
	uint32_t to = known ? known->fragment : VA_MAP_NONE;

	/* The fragment is absent if the program died on the way to it. */
	if (count && to != VA_MAP_NONE)
		add_edge(translator, task, translator_insn_index(translator, insn),
			 translator_index_of(translator, translator_fragment(translator, to), 0), count);
}

/* Executions of a transfer inside a fragment: those that continued in the fragment, and those that left it by the
 * side exit. */
struct inner_counts {
	uint64_t n_on, n_side;
};

/* Adds the edges of instruction `insn`, a transfer inside a fragment. */
static void add_inner_edges(struct translator *translator, const struct task *task, const struct fragment *fragment,
			    size_t insn, struct inner_counts counts)
{
	struct fragment_insn *insns = translator_insns(translator, fragment);
	enum insn_flow flow = insns[insn].insn.flow;

	if (!translator->wants_edges || flow == FLOW_NEXT)
		return;
	if (counts.n_on)
		add_edge(translator, task, translator_index_of(translator, fragment, insn),
			 translator_index_of(translator, fragment, insn + 1), counts.n_on);
	if (flow == FLOW_BRANCH && insns[insn + 1].va == fragment_insn_next_va(&insns[insn]))
		add_direct_edge(translator, task, &insns[insn], fragment_insn_target_va(&insns[insn]), counts.n_side);
}

/* Adds the edges of the transfer at the end of a fragment. n_branch: the value of fragment->branch_counter. */
static void add_last_edges(struct translator *translator, const struct task *task, const struct fragment *fragment,
			   uint64_t executions, uint64_t n_branch)
{
	struct fragment_insn *last = &translator_insns(translator, fragment)[fragment->n_insns - 1];
	enum insn_flow flow = last->insn.flow;
	uint64_t n_taken = executions;

	if (!translator->wants_edges || (flow != FLOW_JUMP && flow != FLOW_CALL && flow != FLOW_BRANCH) ||
	    last->insn.displacement == 0)
		return;
	if (flow == FLOW_BRANCH)
		n_taken = fragment->is_taken_counted ? n_branch : executions - n_branch;
	add_direct_edge(translator, task, last, fragment_insn_target_va(last), n_taken);
}

static void add_indirect_edge(struct translator *translator, const struct task *task, const struct counter *counter,
			      uint64_t value)
{
	const struct fragment *from = translator_fragment(translator, counter->fragment);

	add_edge(translator, task, translator_index_of(translator, from, counter->insn),
		 translator_index_of(translator, translator_fragment(translator, counter->to), 0), value);
}

void collect_edges(struct translator *translator, const struct task *task)
{
	size_t n_records;
	const struct edge_record *record = collect_edge_records(task, &n_records);

	for (; n_records-- > 0; record++) {
		const struct counter *from = translator_counter(translator, (uint32_t)record->from);
		struct fragment_insn *insns = translator_insns(translator,
							       translator_fragment(translator, from->fragment));

		add_direct_edge(translator, task, &insns[fragments_exit_insn(&translator->fragments, from)],
				record->target_va, 1);
	}
	*area_word(task->area, AREA_EDGES_FREE) = EDGES_BYTES;
}

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
			add_last_edges(translator, task, fragment, executions, found.n_branch);
			break;
		}
		executions -= found.n_side_exits;
		add_inner_edges(translator, task, fragment, i,
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
			add_inner_edges(translator, task, fragment, i, (struct inner_counts){.n_on = 1});
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
			profile_count_syscall(translator->engine->profile, task->counting[i], number, false,
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
	collect_edges(translator, task);
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
			add_indirect_edge(translator, task, counter, values[i]);
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
