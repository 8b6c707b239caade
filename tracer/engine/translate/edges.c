#include "engine/translate/edges.h"

#include <assert.h>

static uint64_t *counter_word(const struct task *task, uint32_t counter)
{
	return area_word(task->area, AREA_COUNTERS + (uint64_t)counter * 8);
}

static uint32_t *from_word(const struct task *task)
{
	return (uint32_t *)(void *)area_word(task->area, AREA_FROM);
}

static uint32_t index_of(struct translator *translator, const struct block *block, size_t insn)
{
	return block_insn_index(translator, &translator->insns[block->first_insn + insn]);
}

uint32_t edges_from(const struct translator *translator, const struct task *task)
{
	return translator->wants_edges ? *from_word(task) : COUNTER_NONE;
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

/* The block counted itself, but did not get to its transfer. */
static void uncount_direct(const struct task *task, const struct block *block)
{
	if (block->arm != COUNTER_NONE && !block->is_taken_counted)
		++*counter_word(task, block->arm);
}

/* The block's transfer to va was counted, but nothing is executed there yet. */
static void uncount_transfer(const struct translator *translator, const struct task *task, const struct block *from,
			     uint64_t va)
{
	uint32_t landing;

	if (from->arm != COUNTER_NONE) {
		if (va == from->target_va)
			*counter_word(task, from->arm) += from->is_taken_counted ? UINT64_MAX : 1;
		return;
	}
	if (from->site == SITE_NONE)
		return;
	landing = va_map_get(&translator->landing_at, landing_key(va, from->site));
	if (landing != VA_MAP_NONE)
		--*counter_word(task, translator->landings[landing].counter);
}

/* It stands before what is at va, having executed nothing there. */
static void settle_begin(struct translator *translator, struct task *task, uint64_t va, bool is_counted)
{
	uint32_t from = *from_word(task);
	const struct block *block;

	settle_entry(translator, task, from != COUNTER_NONE);
	if (from == COUNTER_NONE)
		return;
	block = &translator->blocks[from];
	if (is_counted)
		uncount_transfer(translator, task, block, va);
	task->previous = index_of(translator, block, block->n_insns - 1);
	*from_word(task) = COUNTER_NONE;
}

void edges_settle(struct translator *translator, struct task *task, const struct block *block, size_t insn,
		  bool is_counted)
{
	if (!translator->wants_edges)
		return;
	if (is_counted && insn < block->n_insns)
		uncount_direct(task, block);
	if (insn == 0) {
		settle_begin(translator, task, block->va, true);
		return;
	}
	settle_entry(translator, task, true);
	task->previous = index_of(translator, block, insn - 1);
	*from_word(task) = COUNTER_NONE;
}

void edges_settle_exit(struct translator *translator, struct task *task, const struct exit *exit)
{
	if (translator->wants_edges)
		settle_begin(translator, task, exit->va, exit->kind != EXIT_INDIRECT);
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

	/* An indirect transfer to what lies behind it is none. */
	if (profile->insns[from].va + profile->insns[from].length == profile->insns[to].va)
		return;
	for (size_t i = 0; i < task->n_counting; i++)
		profile_count_edge(profile, task->counting[i], from, to, count);
}

static void count_direct(struct translator *translator, const struct task *task, const struct block *block,
			 uint64_t value)
{
	uint32_t to = va_map_get(&translator->block_at, block->target_va);

	assert(to != VA_MAP_NONE);
	count(translator, task, index_of(translator, block, block->n_insns - 1),
	      index_of(translator, &translator->blocks[to], 0), value);
}

void edges_harvest_block(struct translator *translator, const struct task *task, const struct block *block,
			 uint64_t executions)
{
	uint64_t *arm;

	if (block->arm == COUNTER_NONE || block->is_taken_counted)
		return;
	arm = counter_word(task, block->arm);
	if (executions != *arm)
		count_direct(translator, task, block, executions - *arm);
	*arm = 0;
}

void edges_harvest_arm(struct translator *translator, const struct task *task, const struct block *block,
		       uint64_t value)
{
	count_direct(translator, task, block, block->is_taken_counted ? value : -value);
}

void edges_harvest_landed(struct translator *translator, const struct task *task, const struct counter *counter,
			  uint64_t value)
{
	const struct block *from = &translator->blocks[counter->block];

	count(translator, task, index_of(translator, from, from->n_insns - 1),
	      index_of(translator, &translator->blocks[counter->to], 0), value);
}
