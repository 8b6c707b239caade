#include <assert.h>
#include <string.h>

#include "engine/translate/contexts/edges.h"
#include "engine/translate/log/log.h"

uint32_t block_insn_index(struct translator *translator, struct block_insn *insn)
{
	struct engine *engine = translator->engine;

	if (insn->index == PROFILE_NONE)
		insn->index = code_index(&engine->code, engine->profile, insn->va, &insn->insn);
	return insn->index;
}

struct insn_counts insn_counts_find(const struct translator *translator, const struct block *block,
				    const uint64_t *values, size_t insn, size_t *at)
{
	const struct counter *counters = &translator->counters[block->counter];
	struct insn_counts found = {0};

	for (; *at < block->n_counters && counters[*at].insn == insn; ++*at) {
		uint64_t value = values[*at];

		switch (counters[*at].kind) {
		case COUNTER_REP:
			found.iterations += value;
			break;
		case COUNTER_REP_AFTER:
			found.iterations -= value;
			break;
		case COUNTER_SIDE:
			found.n_side = value;
			break;
		case COUNTER_ARM:
			found.n_arm = value;
			break;
		case COUNTER_BLOCK:
		case COUNTER_TARGET:
		case COUNTER_LANDED:
			break;
		}
	}
	return found;
}

static void harvest_block(struct translator *translator, struct task *task, const struct block *block,
			  const uint64_t *values)
{
	struct block_insn *insns = &translator->insns[block->first_insn];
	uint64_t executions = values[0];
	size_t at = 1;

	for (size_t i = 0; i < block->n_insns; i++) {
		struct insn_counts found = insn_counts_find(translator, block, values, i, &at);

		if (executions || found.iterations)
			task_add(translator->engine, task, block_insn_index(translator, &insns[i]), executions,
				 found.iterations);
		if (i + 1 == block->n_insns) {
			edges_harvest_last(translator, task, block, executions, found.n_arm);
			break;
		}
		executions -= found.n_side;
		edges_harvest_inner(translator, task, block, i, executions, found.n_side);
	}
	assert(at == block->n_counters);
}

void harvest_part(struct translator *translator, struct task *task, const struct block *block, size_t n_insns)
{
	struct block_insn *insns = &translator->insns[block->first_insn];

	for (size_t i = 0; i < n_insns; i++) {
		task_add(translator->engine, task, block_insn_index(translator, &insns[i]), 1, 0);
		if (i + 1 < n_insns)
			edges_harvest_inner(translator, task, block, i, 1, 0);
	}
}

static bool has_counted(const uint64_t *values, size_t n_values)
{
	for (size_t i = 0; i < n_values; i++)
		if (values[i])
			return true;
	return false;
}

void translate_harvest(struct translator *translator, struct task *task)
{
	struct profile *profile = translator->engine->profile;
	uint64_t *counts, *values;
	size_t n_counters;

	if (!task->area)
		return;
	log_drain(translator, task);
	edges_harvest_records(translator, task);
	values = area_word(task->area, AREA_COUNTERS);
	for (size_t i = 0; i < translator->n_counters; i += n_counters) {
		const struct counter *counter = &translator->counters[i];
		const struct block *block = &translator->blocks[counter->block];

		n_counters = counter->kind == COUNTER_BLOCK ? block->n_counters : 1;
		assert(counter->kind == COUNTER_BLOCK || counter->kind == COUNTER_LANDED);
		if (!has_counted(&values[i], n_counters))
			continue;
		if (counter->kind == COUNTER_BLOCK) {
			translator->n_harvested += values[i];
			harvest_block(translator, task, block, &values[i]);
		} else {
			edges_harvest_landed(translator, task, counter, values[i]);
		}
		memset(&values[i], 0, n_counters * sizeof(*values));
	}
	translator->n_entries = translator->n_cold = 0;
	counts = area_word(task->area, AREA_SYSCALL_COUNTS);
	for (int64_t number = 0; number < SYSCALL_NUMBERS; number++) {
		for (size_t i = 0; counts[number] && i < task->n_counting; i++)
			profile_count_syscalls(profile, task->counting[i], number, false, counts[number]);
		counts[number] = 0;
	}
}
