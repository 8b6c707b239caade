#include "engine/translate/contexts/edge_counts.h"

static uint32_t index_of(struct translator *translator, const struct fragment *fragment, size_t insn)
{
	return translator_insn_index(translator, &translator_insns(translator, fragment)[insn]);
}

static uint64_t next_va(const struct fragment_insn *insn)
{
	return insn->va + insn->insn.length;
}

static uint64_t target_va(const struct fragment_insn *insn)
{
	return next_va(insn) + (uint64_t)insn->insn.displacement;
}

size_t edge_counts_last_insn(const struct translator *translator, const struct counter *counter)
{
	return counter->kind == COUNTER_SIDE_EXIT ? counter->insn
						  : translator_fragment(translator, counter->fragment)->n_insns - 1;
}

const struct edge_record *edge_counts_records(const struct task *task, size_t *n_records)
{
	uint64_t free_bytes = *area_word(task->area, AREA_EDGES_FREE);

	*n_records = (EDGES_BYTES - free_bytes) / sizeof(struct edge_record);
	return (const struct edge_record *)(const void *)area_word(task->area, AREA_EDGES + free_bytes);
}

static void add(const struct translator *translator, const struct task *task, uint32_t from, uint32_t to,
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
static void add_direct(struct translator *translator, const struct task *task, struct fragment_insn *insn, uint64_t va,
		       uint64_t count)
{
	const struct address *known = addresses_find(&translator->addresses, va);
	uint32_t to = known ? known->fragment : VA_MAP_NONE;

	/* The fragment is absent if the program died on the way to it. */
	if (count && to != VA_MAP_NONE)
		add(translator, task, translator_insn_index(translator, insn),
		    index_of(translator, translator_fragment(translator, to), 0), count);
}

void edge_counts_add_inner(struct translator *translator, const struct task *task, const struct fragment *fragment,
			   size_t insn, struct inner_counts counts)
{
	struct fragment_insn *insns = translator_insns(translator, fragment);
	enum insn_flow flow = insns[insn].insn.flow;

	if (!translator->wants_edges || flow == FLOW_NEXT)
		return;
	if (counts.n_on)
		add(translator, task, index_of(translator, fragment, insn), index_of(translator, fragment, insn + 1),
		    counts.n_on);
	if (flow == FLOW_BRANCH && insns[insn + 1].va == next_va(&insns[insn]))
		add_direct(translator, task, &insns[insn], target_va(&insns[insn]), counts.n_side);
}

void edge_counts_add_last(struct translator *translator, const struct task *task, const struct fragment *fragment,
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
	add_direct(translator, task, last, target_va(last), n_taken);
}

void edge_counts_add_indirect(struct translator *translator, const struct task *task, const struct counter *counter,
			      uint64_t value)
{
	const struct fragment *from = translator_fragment(translator, counter->fragment);

	add(translator, task, index_of(translator, from, counter->insn),
	    index_of(translator, translator_fragment(translator, counter->to), 0), value);
}

void edge_counts_add_records(struct translator *translator, const struct task *task)
{
	size_t n_records;
	const struct edge_record *record = edge_counts_records(task, &n_records);

	for (; n_records-- > 0; record++) {
		const struct counter *from = translator_counter(translator, (uint32_t)record->from);
		struct fragment_insn *insns = translator_insns(translator,
							       translator_fragment(translator, from->fragment));

		add_direct(translator, task, &insns[edge_counts_last_insn(translator, from)], record->target_va, 1);
	}
	*area_word(task->area, AREA_EDGES_FREE) = EDGES_BYTES;
}
