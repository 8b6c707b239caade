#include "engine/translate/edges.h"
#include "engine/translate/log.h"

uint32_t block_insn_index(struct translator *translator, struct block_insn *insn)
{
	struct engine *engine = translator->engine;

	if (insn->index == PROFILE_NONE)
		insn->index = code_index(&engine->code, engine->profile, insn->va, &insn->insn);
	return insn->index;
}

static void harvest_counter(struct translator *translator, struct task *task, const struct counter *counter,
			    uint64_t value)
{
	const struct block *block = &translator->blocks[counter->block];
	struct block_insn *insns = &translator->insns[block->first_insn];
	struct engine *engine = translator->engine;

	switch (counter->kind) {
	case COUNTER_BLOCK:
		for (size_t i = 0; i < block->n_insns; i++)
			task_add(engine, task, block_insn_index(translator, &insns[i]), value, 0);
		edges_harvest_block(translator, task, block, value);
		break;
	case COUNTER_REP:
		task_add(engine, task, block_insn_index(translator, &insns[counter->insn]), 0, value);
		break;
	case COUNTER_REP_AFTER:
		task_add(engine, task, block_insn_index(translator, &insns[counter->insn]), 0, -value);
		break;
	case COUNTER_ARM:
		edges_harvest_arm(translator, task, block, value);
		break;
	case COUNTER_SIDE:
		for (size_t i = counter->insn + 1u; i < block->n_insns; i++)
			task_add(engine, task, block_insn_index(translator, &insns[i]), -value, 0);
		break;
	case COUNTER_TARGET:
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
