#include "engine/translate/log.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "engine/translate/emit.h"

static uint64_t begin_va(const struct task *task)
{
	return task->area->va + AREA_LOGGED;
}

void log_deinit(struct translator *translator)
{
	struct log *log = &translator->log;

	free(log->known);
	free(log->words);
	free(log->records);
	free(log->told_words);
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
	if (!translator->log.is_wanted)
		return;
	*area_word(task->area, AREA_FS) = regs->fs_base;
	if (is_own)
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

uint32_t log_intern(struct translator *translator, const struct block *block, size_t n_insns)
{
	uint32_t insns[BLOCK_INSNS_MAX];

	for (size_t i = 0; i < n_insns; i++)
		insns[i] = block_insn_index(translator, &translator->insns[block->first_insn + i]);
	return profile_intern_block(translator->engine->profile, insns, n_insns);
}

uint32_t log_identify(struct translator *translator, const struct block *block)
{
	struct zone *zone = cache_find_zone(&translator->cache, block->logged_va);
	uint8_t *code = zone->bytes + (block->logged_va - log_written_bytes(translator) - zone->va);
	uint32_t mask = translator->log.has_addresses ? LOG_INDEX_MASK : ~LOG_FIRST, written, index;

	memcpy(&written, code, sizeof(written));
	if (!(written & LOG_FIRST))
		return written & mask;
	index = log_intern(translator, block, block->n_insns);
	/* Else it writes its own index each time. */
	if (index <= mask)
		patch_32(code, (int32_t)((written & ~(mask | LOG_FIRST)) | index));
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
				blocks[i] = log_identify(translator, &translator->blocks[blocks[i] & ~LOG_FIRST]);
	}
}

void log_tell(struct translator *translator, struct task *task, const uint32_t *blocks, size_t n_blocks,
	      const uint64_t *words, size_t n_words)
{
	const struct trace_plan *plan = translator->engine->plan;
	struct profile *profile = translator->engine->profile;

	if (!task->n_counting || !n_blocks)
		return;
	if (plan->stream)
		stream_add_blocks(translator->engine, task, blocks, n_blocks, words, n_words);
	for (size_t i = 0; plan->on_instruction && i < n_blocks; i++) {
		const struct profile_block *block = &profile->blocks[blocks[i]];

		for (uint32_t j = 0; j < block->n_insns; j++)
			plan->on_instruction(plan->context, profile, profile->block_insns[block->first + j]);
	}
}

static void tell_blocks(struct translator *translator, struct task *task, uint32_t *blocks, size_t n_blocks,
			const struct block *part, size_t n_insns)
{
	uint32_t last;

	identify_all(translator, blocks, n_blocks);
	log_tell(translator, task, blocks, n_blocks - (part != NULL), NULL, 0);
	if (!part || !n_insns)
		return;
	last = log_intern(translator, part, n_insns);
	log_tell(translator, task, &last, 1, NULL, 0);
}

void log_drain_part(struct translator *translator, struct task *task, const struct block *part, size_t n_insns)
{
	uint64_t *end_va = area_word(task->area, AREA_LOG);
	uint64_t *bytes = area_word(task->area, AREA_LOGGED);
	size_t n_bytes;

	if (!translator->log.is_wanted)
		return;
	n_bytes = *end_va - begin_va(task);
	*end_va = begin_va(task);
	if (translator->log.has_addresses)
		log_tell_records(translator, task, (uint8_t *)bytes, n_bytes, part, n_insns);
	else
		tell_blocks(translator, task, (uint32_t *)(void *)bytes, n_bytes / sizeof(uint32_t), part, n_insns);
}

void log_drain(struct translator *translator, struct task *task)
{
	log_drain_part(translator, task, NULL, 0);
}
