#include "engine/translate/contexts/edge_state.h"

#include "engine/translate/contexts/collect.h"
#include "engine/translate/link/ibl.h"
#include "engine/visits/counting.h"

static uint32_t *last_exit(const struct task *task)
{
	return (uint32_t *)(void *)area_word(task->area, AREA_LAST_EXIT);
}

void edge_state_enter(struct translator *translator, struct task *task, const struct fragment *fragment)
{
	if (!translator->wants_edges)
		return;
	*last_exit(task) = COUNTER_NONE;
	task->entry_insn = fragment->first_insn;
}

/* Counts the edge into translated code. It counts only once an instruction was executed there. */
static void count_entry(struct translator *translator, struct task *task, bool executed)
{
	struct fragment_insn *insns = translator->fragments.insns;

	if (executed && task->entry_insn != PROFILE_NONE)
		task_count_edge(translator->engine, task, translator_insn_index(translator, &insns[task->entry_insn]));
	task->entry_insn = PROFILE_NONE;
}

static void uncount_indirect(const struct translator *translator, const struct task *task, uint32_t from, uint64_t va)
{
	const struct ibl_target *target = ibl_find_target(translator, va, translator_counter(translator, from)->site);
	size_t n_records;
	const struct edge_record *newest = collect_edge_records(task, &n_records);

	if (n_records && newest->from == from && newest->target_va == va)
		*area_word(task->area, AREA_EDGES_FREE) += sizeof(*newest);
	else if (target)
		--*counter_word(task, target->counter);
}

/* Takes back the edge to va, by counter `from`. The count of a direct edge follows from the executions of its
 * fragment. So this execution is subtracted from the counters and counted by instruction, without the edge. */
static void uncount_transfer(struct translator *translator, struct task *task, uint32_t from, uint64_t va)
{
	const struct counter *counter = translator_counter(translator, from);
	const struct fragment *fragment = translator_fragment(translator, counter->fragment);
	size_t last_insn = fragments_exit_insn(&translator->fragments, counter);
	const struct fragment_insn *last = &translator_insns(translator, fragment)[last_insn];
	bool is_taken = va == fragment_insn_target_va(last);

	if (counter->site != SITE_NONE) {
		uncount_indirect(translator, task, from, va);
		return;
	}
	--*counter_word(task, fragment->counter);
	if (counter->kind == COUNTER_SIDE_EXIT)
		--*counter_word(task, from);
	else if (fragment->branch_counter != COUNTER_NONE && fragment->is_taken_counted == is_taken)
		--*counter_word(task, fragment->branch_counter);
	collect_partial_fragment(translator, task, fragment, last_insn + 1);
}

/* The task stopped before va, at the beginning of a fragment. */
static void stop_at_begin(struct translator *translator, struct task *task, uint64_t va)
{
	uint32_t from = *last_exit(task);
	const struct counter *counter;

	count_entry(translator, task, from != COUNTER_NONE);
	if (from == COUNTER_NONE)
		return;
	counter = translator_counter(translator, from);
	uncount_transfer(translator, task, from, va);
	task->previous = translator_index_of(translator, translator_fragment(translator, counter->fragment),
					     fragments_exit_insn(&translator->fragments, counter));
	*last_exit(task) = COUNTER_NONE;
}

void edge_state_stop(struct translator *translator, struct task *task, const struct fragment *fragment, size_t insn)
{
	if (!translator->wants_edges)
		return;
	if (insn == 0) {
		stop_at_begin(translator, task, fragment->va);
		return;
	}
	count_entry(translator, task, true);
	task->previous = translator_index_of(translator, fragment, insn - 1);
	*last_exit(task) = COUNTER_NONE;
}

void edge_state_stop_at_exit(struct translator *translator, struct task *task, uint64_t va)
{
	if (translator->wants_edges)
		stop_at_begin(translator, task, va);
}

void edge_state_stop_dead(struct translator *translator, struct task *task)
{
	if (translator->wants_edges)
		count_entry(translator, task, *last_exit(task) != COUNTER_NONE);
}
