#include "engine/translate/log.h"

#include <signal.h>
#include <string.h>

#include "engine/translate/emit.h"

static uint64_t begin_va(const struct task *task)
{
	return task->area->va + AREA_LOGGED;
}

void log_resume(const struct translator *translator, const struct task *task, struct target_regs *regs)
{
	if (!translator->log.is_wanted)
		return;
	*area_word(task->area, AREA_OWN_R15) = regs->r15;
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

/* The block of the profile that the first instructions of a block here are. */
static uint32_t intern(struct translator *translator, const struct block *block, size_t n_insns)
{
	uint32_t insns[BLOCK_INSNS_MAX];

	for (size_t i = 0; i < n_insns; i++)
		insns[i] = block_insn_index(translator, &translator->insns[block->first_insn + i]);
	return profile_intern_block(translator->engine->profile, insns, n_insns);
}

/* From a block's first executions on it writes the index of the profile's. */
static uint32_t identify(struct translator *translator, const struct block *block)
{
	struct zone *zone = cache_find_zone(&translator->cache, block->logged_va);
	uint8_t *code = zone->bytes + (block->logged_va - LOG_WRITTEN_BYTES - zone->va);
	uint32_t index;

	memcpy(&index, code, sizeof(index));
	if (!(index & LOG_FIRST))
		return index;
	index = intern(translator, block, block->n_insns);
	patch_32(code, (int32_t)index);
	return index;
}

enum { CHUNK_BLOCKS = 1024 }; /* the log has whole ones */

static bool any_first(const uint32_t *blocks)
{
	uint32_t any = 0;

	for (size_t i = 0; i < CHUNK_BLOCKS; i++)
		any |= blocks[i];
	return any & LOG_FIRST;
}

/* Leaves blocks of the profile in the place of those that were executed for the first time. */
static void identify_all(struct translator *translator, uint32_t *blocks, size_t n_blocks)
{
	for (size_t begin = 0; begin < n_blocks; begin += CHUNK_BLOCKS) {
		size_t end = begin + CHUNK_BLOCKS < n_blocks ? begin + CHUNK_BLOCKS : n_blocks;

		if (!any_first(blocks + begin))
			continue;
		for (size_t i = begin; i < end; i++)
			if (blocks[i] & LOG_FIRST)
				blocks[i] = identify(translator, &translator->blocks[blocks[i] & ~LOG_FIRST]);
	}
}

static void tell(struct translator *translator, struct task *task, const uint32_t *blocks, size_t n_blocks)
{
	const struct trace_plan *plan = translator->engine->plan;
	struct profile *profile = translator->engine->profile;

	if (!task->n_counting || !n_blocks)
		return;
	if (plan->stream)
		stream_add_blocks(translator->engine, task, blocks, n_blocks);
	for (size_t i = 0; plan->on_instruction && i < n_blocks; i++) {
		const struct profile_block *block = &profile->blocks[blocks[i]];

		for (uint32_t j = 0; j < block->n_insns; j++)
			plan->on_instruction(plan->context, profile, profile->block_insns[block->first + j]);
	}
}

/* Takes what is in the log out of it. */
static uint32_t *take(struct translator *translator, const struct task *task, size_t *n_blocks)
{
	uint64_t *end_va = area_word(task->area, AREA_LOG);
	uint32_t *blocks = (uint32_t *)(void *)area_word(task->area, AREA_LOGGED);

	*n_blocks = (*end_va - begin_va(task)) / sizeof(*blocks);
	*end_va = begin_va(task);
	identify_all(translator, blocks, *n_blocks);
	return blocks;
}

void log_drain(struct translator *translator, struct task *task)
{
	const uint32_t *blocks;
	size_t n_blocks;

	if (!translator->log.is_wanted)
		return;
	blocks = take(translator, task, &n_blocks);
	tell(translator, task, blocks, n_blocks);
}

void log_drain_part(struct translator *translator, struct task *task, const struct block *block, size_t n_insns)
{
	const uint32_t *blocks;
	size_t n_blocks;
	uint32_t part;

	if (!translator->log.is_wanted)
		return;
	blocks = take(translator, task, &n_blocks);
	tell(translator, task, blocks, n_blocks - 1);
	if (!n_insns)
		return;
	part = intern(translator, block, n_insns);
	tell(translator, task, &part, 1);
}
