#include "engine/translate/log.h"

#include <signal.h>
#include <string.h>

static uint64_t begin_va(const struct task *task)
{
	return task->area->va + AREA_LOGGED;
}

void log_resume(const struct translator *translator, const struct task *task, struct target_regs *regs)
{
	if (!translator->log.is_wanted)
		return;
	*area_word(task->area, AREA_OWN_R15) = regs->r15;
	*area_word(task->area, AREA_FS) = regs->fs_base;
	regs->r15 = *area_word(task->area, AREA_LOG);
}

void log_stop(const struct translator *translator, const struct task *task, struct target_regs *regs, bool is_own)
{
	if (!translator->log.is_wanted || is_own)
		return;
	*area_word(task->area, AREA_LOG) = regs->r15;
	regs->r15 = *area_word(task->area, AREA_OWN_R15);
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

	if (!translator->log.is_wanted)
		return;
	if (n_insns) {
		head = log_part_head(translator, block, n_insns);
		memcpy(task->area->bytes + AREA_LOGGED + (*end_va - begin_va(task)), &head, sizeof(head));
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
