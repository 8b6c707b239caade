#include "engine/translate/log/log.h"

#include <signal.h>
#include <string.h>

#include "base/array.h"
#include "engine/translate/log/log_shapes.h"
#include "engine/translate/traces/seed.h"
#include "engine/visits/batches.h"
#include "engine/visits/counting.h"

/* R11 is missing because the translator uses it, and R12 because it needs a longer encoding as a base. */
static const uint8_t candidates[] = {15, 13, 14, 10, 9, 8};

void log_init(struct translator *translator)
{
	const struct trace_plan *plan = translator->engine->plan;
	struct log *log = &translator->log;

	log->is_wanted = plan->stream || plan->on_event;
	log->plan.stolen = log->next_stolen = candidates[0];
	log_shapes_init(translator);
}

void log_clear(struct log *log)
{
	log_shapes_clear(log);
	log->plan.stolen = log->next_stolen;
}

static uint64_t begin_va(const struct task *task)
{
	return task->area->va + AREA_LOG;
}

static uint64_t *stolen_of(const struct translator *translator, struct target_regs *regs)
{
	uint64_t *const registers[] = {[8] = &regs->r8,	  [9] = &regs->r9,   [10] = &regs->r10,
				       [13] = &regs->r13, [14] = &regs->r14, [15] = &regs->r15};

	return registers[translator->log.plan.stolen];
}

void log_swap_in(const struct translator *translator, const struct task *task, struct target_regs *regs)
{
	if (!translator->log.is_wanted)
		return;
	*area_word(task->area, AREA_STOLEN) = *stolen_of(translator, regs);
	*area_word(task->area, AREA_FS) = regs->fs_base;
	*stolen_of(translator, regs) = *area_word(task->area, AREA_LOG_POINTER);
}

void log_swap_out(const struct translator *translator, const struct task *task, struct target_regs *regs,
		  bool has_program_value)
{
	if (!translator->log.is_wanted || has_program_value)
		return;
	*area_word(task->area, AREA_LOG_POINTER) = *stolen_of(translator, regs);
	*stolen_of(translator, regs) = *area_word(task->area, AREA_STOLEN);
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

static void hand_over(struct translator *translator, struct task *task, const uint8_t *records, size_t n_bytes)
{
	const struct trace_plan *plan = translator->engine->plan;
	struct profile *profile = translator->engine->profile;
	const struct stream_batch batch = {.source = &translator->log.shapes.source,
					   .encoded = records,
					   .n_encoded_bytes = n_bytes};
	struct stream_cursor cursor = stream_begin(profile, &batch);

	if (plan->stream)
		batches_add_encoded(translator->engine, task, &batch);
	while (plan->on_event && stream_next(&cursor)) {
		struct profile_block block = profile->blocks[cursor.block];

		for (uint32_t i = 0; i < block.n_insns; i++)
			task_report_event(translator->engine, task, TRACE_INSN, profile->block_insns[block.first + i]);
	}
}

void log_drain(struct translator *translator, struct task *task)
{
	uint64_t *end_va = area_word(task->area, AREA_LOG_POINTER);
	size_t n_bytes;

	if (!translator->log.is_wanted)
		return;
	n_bytes = *end_va - begin_va(task);
	*end_va = begin_va(task);
	if (task->n_counting && n_bytes)
		hand_over(translator, task, task->area->bytes + AREA_LOG, n_bytes);
}

void log_drain_partial(struct translator *translator, struct task *task, const struct fragment *fragment,
		       size_t n_insns)
{
	uint64_t *end_va = area_word(task->area, AREA_LOG_POINTER);
	uint32_t head;
	uint64_t value;

	if (!translator->log.is_wanted)
		return;
	if (n_insns) {
		head = log_shapes_partial_head(translator, fragment, n_insns);
		value = log_shapes_head_value(head);
		memcpy(task->area->bytes + AREA_LOG + (*end_va - begin_va(task)), &value,
		       translator->log.shapes.source.has_addresses ? sizeof(value) : sizeof(head));
		*end_va += log_shapes_record_bytes(translator, head);
	}
	log_drain(translator, task);
}

void log_make_room(struct translator *translator, struct task *task)
{
	uint8_t *log = task->area->bytes + AREA_LOG;
	size_t n_read = *area_word(task->area, AREA_LOG_POINTER) - begin_va(task);

	log_drain(translator, task);
	memmove(log, log + n_read, LOG_BYTES - n_read);
}

enum { LEARNED_MIN = 256 }; /* fragments with fewer executions are ignored */

static void add_uses(const struct translator *translator, const struct fragment *fragment, uint64_t executions,
		     uint64_t uses[INSN_N_GENERAL])
{
	for (size_t i = 0; i < fragment->n_insns; i++) {
		const struct insn *insn = &translator_insns(translator, fragment)[i].insn;
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
	const uint64_t *values = area_word(task->area, AREA_COUNTERS);
	uint64_t uses[INSN_N_GENERAL] = {0};

	if (!translator->log.is_wanted)
		return;
	if (translator->engine->plan->traces_seed) {
		translator->log.next_stolen = candidates[seed_draw(translator, 0, ARRAY_LENGTH(candidates))];
		return;
	}
	for (size_t i = 0; i < translator->fragments.n_counters; i++)
		if (translator_counter(translator, i)->kind == COUNTER_FRAGMENT && values[i] >= LEARNED_MIN)
			add_uses(translator,
				 translator_fragment(translator, translator_counter(translator, i)->fragment),
				 values[i], uses);
	translator->log.next_stolen = candidates[0];
	for (size_t i = 0; i < ARRAY_LENGTH(candidates); i++)
		if (uses[candidates[i]] < uses[translator->log.next_stolen])
			translator->log.next_stolen = candidates[i];
}
