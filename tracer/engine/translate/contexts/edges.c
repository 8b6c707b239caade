#include "engine/translate/contexts/edges.h"

static uint32_t *from_word(const struct task *task)
{
	return (uint32_t *)(void *)area_word(task->area, AREA_FROM);
}

static uint32_t index_of(struct translator *translator, const struct block *block, size_t insn)
{
	return block_insn_index(translator, &translator->insns[block->first_insn + insn]);
}

static uint64_t behind(const struct block_insn *insn)
{
	return insn->va + insn->insn.length;
}

static uint64_t target_of(const struct block_insn *insn)
{
	return behind(insn) + (uint64_t)insn->insn.displacement;
}

/* The instruction with which the block was left. */
static size_t last_of(const struct translator *translator, const struct counter *from)
{
	return from->kind == COUNTER_SIDE ? from->insn : translator->blocks[from->block].n_insns - 1;
}

void edges_enter(struct translator *translator, struct task *task, const struct block *block)
{
	if (!translator->wants_edges)
		return;
	*from_word(task) = COUNTER_NONE;
	task->entered = block->first_insn;
}

/* The way in is a transfer, too, once an instruction was executed. */
static void settle_entry(struct translator *translator, struct task *task, bool executed)
{
	if (executed && task->entered != PROFILE_NONE)
		task_count_edge(translator->engine, task,
				block_insn_index(translator, &translator->insns[task->entered]));
	task->entered = PROFILE_NONE;
}

/* Those not counted yet, the last one first. */
static const struct record *records(const struct task *task, size_t *n_records)
{
	uint64_t free_bytes = *area_word(task->area, AREA_RECORD);

	*n_records = (RECORDS_BYTES - free_bytes) / sizeof(struct record);
	return (const struct record *)(const void *)area_word(task->area, AREA_RECORDS + free_bytes);
}

static void uncount_indirect(const struct translator *translator, const struct task *task, uint32_t from, uint64_t va)
{
	const struct landing *landing = find_landing(translator, va, translator->counters[from].site);
	size_t n_records;
	const struct record *last = records(task, &n_records);

	if (n_records && last->from == from && last->target_va == va)
		*area_word(task->area, AREA_RECORD) += sizeof(*last);
	else if (landing)
		--*counter_word(task, landing->counter);
}

/* The block was left that way for va, and counted, but nothing is executed there yet. A direct transfer is found out from the executions of
 * the block: this one is counted by itself instead. */
static void uncount_transfer(struct translator *translator, struct task *task, uint32_t from, uint64_t va)
{
	const struct counter *counter = &translator->counters[from];
	const struct block *block = &translator->blocks[counter->block];
	const struct block_insn *last = &translator->insns[block->first_insn + last_of(translator, counter)];

	if (counter->site != SITE_NONE) {
		uncount_indirect(translator, task, from, va);
		return;
	}
	--*counter_word(task, block->counter);
	if (counter->kind == COUNTER_SIDE)
		--*counter_word(task, from);
	else if (block->arm != COUNTER_NONE && block->is_taken_counted == (va == target_of(last)))
		--*counter_word(task, block->arm);
	harvest_part(translator, task, block, last_of(translator, counter) + 1);
}

/* It stands before what is at va, having executed nothing there. */
static void settle_begin(struct translator *translator, struct task *task, uint64_t va)
{
	uint32_t from = *from_word(task);
	const struct counter *counter;

	settle_entry(translator, task, from != COUNTER_NONE);
	if (from == COUNTER_NONE)
		return;
	counter = &translator->counters[from];
	uncount_transfer(translator, task, from, va);
	task->previous = index_of(translator, &translator->blocks[counter->block], last_of(translator, counter));
	*from_word(task) = COUNTER_NONE;
}

void edges_settle(struct translator *translator, struct task *task, const struct block *block, size_t insn)
{
	if (!translator->wants_edges)
		return;
	if (insn == 0) {
		settle_begin(translator, task, block->va);
		return;
	}
	settle_entry(translator, task, true);
	task->previous = index_of(translator, block, insn - 1);
	*from_word(task) = COUNTER_NONE;
}

void edges_settle_exit(struct translator *translator, struct task *task, uint64_t va)
{
	if (translator->wants_edges)
		settle_begin(translator, task, va);
}

void edges_settle_death(struct translator *translator, struct task *task)
{
	if (translator->wants_edges)
		settle_entry(translator, task, *from_word(task) != COUNTER_NONE);
}

static void count(const struct translator *translator, const struct task *task, uint32_t from, uint32_t to,
		  uint64_t count)
{
	struct profile *profile = translator->engine->profile;

	/* To what lies behind it is no transfer. */
	if (profile->insns[from].va + profile->insns[from].length == profile->insns[to].va)
		return;
	for (size_t i = 0; i < task->n_counting; i++)
		profile_count_edge(profile, task->counting[i], from, to, count);
}

/* From an instruction of the block directly to va. */
static void count_direct(struct translator *translator, const struct task *task, const struct block *block, size_t insn,
			 uint64_t va, uint64_t value)
{
	const struct address *known = addresses_find(&translator->addresses, va);
	uint32_t to = known ? known->block : VA_MAP_NONE;

	/* There is none if the program died on the way there. */
	if (value && to != VA_MAP_NONE)
		count(translator, task, index_of(translator, block, insn),
		      index_of(translator, &translator->blocks[to], 0), value);
}

void edges_harvest_inner(struct translator *translator, const struct task *task, const struct block *block, size_t insn,
			 uint64_t n_on, uint64_t n_side)
{
	const struct block_insn *insns = &translator->insns[block->first_insn];
	enum insn_flow flow = insns[insn].insn.flow;

	if (!translator->wants_edges || flow == FLOW_NEXT)
		return;
	if (n_on)
		count(translator, task, index_of(translator, block, insn), index_of(translator, block, insn + 1), n_on);
	if (flow == FLOW_BRANCH && insns[insn + 1].va == behind(&insns[insn]))
		count_direct(translator, task, block, insn, target_of(&insns[insn]), n_side);
}

void edges_harvest_last(struct translator *translator, const struct task *task, const struct block *block,
			uint64_t executions, uint64_t n_arm)
{
	const struct block_insn *last = &translator->insns[block->first_insn + block->n_insns - 1];
	enum insn_flow flow = last->insn.flow;
	uint64_t n_taken = executions;

	if (!translator->wants_edges || (flow != FLOW_JUMP && flow != FLOW_CALL && flow != FLOW_BRANCH) ||
	    last->insn.displacement == 0)
		return;
	if (flow == FLOW_BRANCH)
		n_taken = block->is_taken_counted ? n_arm : executions - n_arm;
	count_direct(translator, task, block, block->n_insns - 1, target_of(last), n_taken);
}

void edges_harvest_landed(struct translator *translator, const struct task *task, const struct counter *counter,
			  uint64_t value)
{
	const struct block *from = &translator->blocks[counter->block];

	count(translator, task, index_of(translator, from, counter->insn),
	      index_of(translator, &translator->blocks[counter->to], 0), value);
}

void edges_harvest_records(struct translator *translator, const struct task *task)
{
	size_t n_records;
	const struct record *record = records(task, &n_records);

	for (; n_records-- > 0; record++) {
		const struct counter *from = &translator->counters[record->from];
		const struct block *block = &translator->blocks[from->block];

		count_direct(translator, task, block, last_of(translator, from), record->target_va, 1);
	}
	*area_word(task->area, AREA_RECORD) = RECORDS_BYTES;
}

void edges_land(struct translator *translator, const struct task *task)
{
	size_t n_records;
	const struct record *record = records(task, &n_records);

	for (; n_records-- > 0; record++) {
		/* Two that are taken for one get their landings a bit early. */
		uint64_t pair = record->target_va + (record->from << 40);

		if (va_map_get(&translator->recorded, pair) != VA_MAP_NONE)
			translate_counted_landing(translator, record->target_va, (uint32_t)record->from);
		va_map_set(&translator->recorded, pair, 0);
	}
	edges_harvest_records(translator, task);
}
