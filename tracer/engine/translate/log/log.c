#include "engine/translate/log/log.h"

#include <signal.h>
#include <string.h>

#include "base/array.h"

static uint64_t begin_va(const struct task *task)
{
	return task->area->va + AREA_LOGGED;
}

static uint64_t *stolen_of(const struct translator *translator, struct target_regs *regs)
{
	switch (translator->log.plan.stolen) {
	case 8:
		return &regs->r8;
	case 9:
		return &regs->r9;
	case 10:
		return &regs->r10;
	case 13:
		return &regs->r13;
	case 14:
		return &regs->r14;
	default:
		return &regs->r15;
	}
}

void log_resume(const struct translator *translator, const struct task *task, struct target_regs *regs)
{
	if (!translator->log.is_wanted)
		return;
	*area_word(task->area, AREA_OWN) = *stolen_of(translator, regs);
	*area_word(task->area, AREA_FS) = regs->fs_base;
	*stolen_of(translator, regs) = *area_word(task->area, AREA_LOG);
}

void log_stop(const struct translator *translator, const struct task *task, struct target_regs *regs, bool is_own)
{
	if (!translator->log.is_wanted || is_own)
		return;
	*area_word(task->area, AREA_LOG) = *stolen_of(translator, regs);
	*stolen_of(translator, regs) = *area_word(task->area, AREA_OWN);
}

bool log_is_full(const struct translator *translator, const struct task *task, int signal)
{
	siginfo_t info;
	uint8_t bytes[THREAD_SIGINFO_BYTES];

	if (!translator->log.is_wanted || signal != SIGBUS || !thread_get_siginfo(task->thread, bytes))
		return false;
	memcpy(&info, bytes, sizeof(info));
	return (uint64_t)info.si_addr - (task->area->va + AREA_BYTES) < AREA_GUARD_BYTES;
}

static void tell(const struct translator *translator, struct task *task, const struct stream_batch *batch)
{
	const struct trace_plan *plan = translator->engine->plan;
	struct profile *profile = translator->engine->profile;
	struct stream_cursor cursor = stream_begin(profile, batch);

	if (plan->stream)
		stream_add_records(translator->engine, task, batch->records, batch->n_bytes, batch->shapes);
	while (plan->on_instruction && stream_next(&cursor)) {
		struct profile_block block = profile->blocks[cursor.block];

		for (uint32_t i = 0; i < block.n_insns; i++)
			plan->on_instruction(plan->context, profile, profile->block_insns[block.first + i]);
	}
}

void log_drain(struct translator *translator, struct task *task)
{
	struct stream_batch batch = {.shapes = &translator->log.shapes};
	uint64_t *end_va = area_word(task->area, AREA_LOG);

	if (!translator->log.is_wanted)
		return;
	batch.records = task->area->bytes + AREA_LOGGED;
	batch.n_bytes = *end_va - begin_va(task);
	*end_va = begin_va(task);
	if (task->n_counting && batch.n_bytes)
		tell(translator, task, &batch);
}

void log_drain_part(struct translator *translator, struct task *task, const struct block *block, size_t n_insns)
{
	uint64_t *end_va = area_word(task->area, AREA_LOG);
	uint32_t head;
	uint64_t value;

	if (!translator->log.is_wanted)
		return;
	if (n_insns) {
		head = log_part_head(translator, block, n_insns);
		value = log_head_value(head);
		memcpy(task->area->bytes + AREA_LOGGED + (*end_va - begin_va(task)), &value,
		       translator->log.shapes.have_words ? sizeof(value) : sizeof(head));
		*end_va += log_record_bytes(translator, head);
	}
	log_drain(translator, task);
}

void log_make_room(struct translator *translator, struct task *task)
{
	uint8_t *log = task->area->bytes + AREA_LOGGED;
	size_t n_told = *area_word(task->area, AREA_LOG) - begin_va(task);

	log_drain(translator, task);
	memmove(log, log + n_told, LOG_BYTES - n_told);
}

enum { LEARNED_MIN = 256 }; /* executions of a block that is looked at */

static void add_uses(const struct translator *translator, const struct block *block, uint64_t executions,
		     uint64_t uses[INSN_N_GENERAL])
{
	for (size_t i = 0; i < block->n_insns; i++) {
		const struct insn *insn = &translator->insns[block->first_insn + i].insn;
		struct insn_operands operands;
		unsigned used;

		if (!insn_operands_decode(insn->bytes, insn->length, &operands))
			continue;
		used = operands.read.general | operands.written.general | operands.address;
		for (size_t reg = 0; reg < INSN_N_GENERAL; reg++)
			uses[reg] += used >> reg & 1 ? executions : 0;
	}
}

void log_learn(struct translator *translator, const struct task *task)
{
	static const uint8_t candidates[] = {LOG_STOLEN_FIRST, 13, 14, 10, 9, 8};
	const uint64_t *values = area_word(task->area, AREA_COUNTERS);
	uint64_t uses[INSN_N_GENERAL] = {0};

	if (!translator->log.is_wanted)
		return;
	if (translator->engine->plan->traces_seed) {
		translator->log.better = candidates[traces_draw(translator, 0, ARRAY_LENGTH(candidates))];
		return;
	}
	for (size_t i = 0; i < translator->n_counters; i++)
		if (translator->counters[i].kind == COUNTER_BLOCK && values[i] >= LEARNED_MIN)
			add_uses(translator, &translator->blocks[translator->counters[i].block], values[i], uses);
	translator->log.better = LOG_STOLEN_FIRST;
	for (size_t i = 0; i < ARRAY_LENGTH(candidates); i++)
		if (uses[candidates[i]] < uses[translator->log.better])
			translator->log.better = candidates[i];
}
