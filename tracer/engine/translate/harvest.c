#include "engine/translate/edges.h"
#include "engine/translate/log.h"

uint32_t block_insn_index(struct translator *translator, struct block_insn *insn)
{
	struct engine *engine = translator->engine;

	if (insn->index == PROFILE_NONE)
		insn->index = code_index(&engine->code, engine->profile, insn->va, &insn->insn);
	return insn->index;
}

static void count(const struct translator *translator, const struct task *task, uint32_t index, uint64_t executions,
		  uint64_t iterations)
{
	for (size_t i = 0; i < task->n_counting; i++)
		profile_count(translator->engine->profile, task->counting[i], index, executions, iterations);
}

static void harvest_counter(struct translator *translator, const struct task *task, const struct counter *counter,
			    uint64_t value)
{
	const struct block *block = &translator->blocks[counter->block];
	struct block_insn *insns = &translator->insns[block->first_insn];

	switch (counter->kind) {
	case COUNTER_BLOCK:
		for (size_t i = 0; i < block->n_insns; i++)
			count(translator, task, block_insn_index(translator, &insns[i]), value, 0);
		translator->engine->n_instructions += value * block->n_insns;
		edges_harvest_block(translator, task, block, value);
		break;
	case COUNTER_REP:
		count(translator, task, block_insn_index(translator, &insns[counter->insn]), 0, value);
		break;
	case COUNTER_REP_AFTER:
		count(translator, task, block_insn_index(translator, &insns[counter->insn]), 0, -value);
		break;
	case COUNTER_ARM:
		edges_harvest_arm(translator, task, block, value);
		break;
	case COUNTER_SIDE:
		for (size_t i = counter->insn + 1u; i < block->n_insns; i++)
			count(translator, task, block_insn_index(translator, &insns[i]), -value, 0);
		translator->engine->n_instructions -= value * (block->n_insns - counter->insn - 1u);
		break;
	case COUNTER_LANDED:
		edges_harvest_landed(translator, task, counter, value);
		break;
	}
}

void translate_harvest(struct translator *translator, struct task *task)
{
	struct profile *profile = translator->engine->profile;
	uint64_t *counts, *values;

	if (!task->area)
		return;
	log_drain(translator, task);
	values = area_word(task->area, AREA_COUNTERS);
	for (size_t i = 0; i < translator->n_counters; i++) {
		uint64_t value = values[i];

		if (!value)
			continue;
		values[i] = 0;
		harvest_counter(translator, task, &translator->counters[i], value);
	}
	counts = area_word(task->area, AREA_SYSCALL_COUNTS);
	for (int64_t number = 0; number < SYSCALL_NUMBERS; number++) {
		for (size_t i = 0; counts[number] && i < task->n_counting; i++)
			profile_count_syscalls(profile, task->counting[i], number, false, counts[number]);
		counts[number] = 0;
	}
}
