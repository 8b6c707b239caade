#include <string.h>

#include "base/array.h"
#include "engine/translate/log.h"

/* How to read what a block of the profile logged. */
static const struct log_known *find_known(struct translator *translator, uint32_t index)
{
	const struct profile *profile = translator->engine->profile;
	const struct profile_block *block = &profile->blocks[index];
	struct log *log = &translator->log;
	struct log_known *known;

	while (log->n_known <= index)
		*ARRAY_ADD(log, known) = (struct log_known){0};
	known = &log->known[index];
	if (known->is_known)
		return known;
	log_plan_init(&log->plan);
	for (uint32_t i = 0; i < block->n_insns; i++) {
		const struct profile_insn *from = &profile->insns[profile->block_insns[block->first + i]];
		struct insn insn;

		if (insn_decode(from->bytes, from->length, &insn))
			log_plan_add(&log->plan, i, from->va, &insn);
	}
	*known = (struct log_known){.first_word = (uint32_t)log->n_words,
				    .n_words = (uint32_t)log->plan.n_words,
				    .n_slots = (uint32_t)log->plan.n_slots,
				    .is_known = true};
	for (size_t i = 0; i < log->plan.n_words; i++)
		*ARRAY_ADD(log, words) = log->plan.words[i];
	return known;
}

/* From the last to the first: only their ends tell where they begin. */
static void find_records(struct translator *translator, const uint8_t *bytes, size_t n_bytes)
{
	struct log *log = &translator->log;
	uint32_t block;

	log->n_records = 0;
	while (n_bytes) {
		memcpy(&block, bytes + n_bytes - LOG_SLOT_BYTES, sizeof(block));
		if (block & LOG_FIRST)
			block = log_identify(translator, &translator->blocks[block & ~LOG_FIRST]);
		n_bytes -= log_record_bytes(find_known(translator, block)->n_slots);
		*ARRAY_ADD(log, records) = (struct log_record){.offset = (uint32_t)n_bytes, .block = block};
	}
}

static uint64_t value_of(const struct log_word *word, const uint64_t *slots, uint64_t fs_base)
{
	uint64_t value = word->constant + (word->has_slot ? slots[word->slot] : 0);

	switch ((enum log_word_kind)word->kind) {
	case WORD_CONSTANT:
	case WORD_SLOT:
		return value;
	case WORD_CUT:
		return value & UINT32_MAX;
	case WORD_FS:
		return value + fs_base;
	case WORD_CUT_FS:
		return (value & UINT32_MAX) + fs_base;
	case WORD_REPETITIONS:
		return (uint64_t)((int64_t)(slots[word->slot] - slots[word->before]) / (int64_t)word->constant);
	}
	return value;
}

/* The words of the first n_insns instructions. */
static void add_words(struct translator *translator, const struct task *task, const struct log_known *known,
		      const uint64_t *slots, size_t n_insns)
{
	uint64_t fs_base = *area_word(task->area, AREA_FS);
	struct log *log = &translator->log;
	const struct log_word *words = log->words + known->first_word;
	uint64_t *told;

	log->told_words = array_reserve(log->told_words, &log->told_words_capacity, log->n_told_words + known->n_words,
					sizeof(*log->told_words));
	told = log->told_words + log->n_told_words;
	for (uint32_t i = 0; i < known->n_words && words[i].insn < n_insns; i++)
		*told++ = value_of(&words[i], slots, fs_base);
	log->n_told_words = (size_t)(told - log->told_words);
}

static void tell(struct translator *translator, struct task *task)
{
	struct log *log = &translator->log;

	log_tell(translator, task, log->told_blocks, log->n_told_blocks, log->told_words, log->n_told_words);
	log->n_told_blocks = log->n_told_words = 0;
}

void log_tell_records(struct translator *translator, struct task *task, uint8_t *bytes, size_t n_bytes,
		      const struct block *part, size_t n_insns)
{
	struct log *log = &translator->log;

	find_records(translator, bytes, n_bytes);
	for (size_t i = log->n_records; i-- > 0;) {
		uint32_t block = log->records[i].block;
		const struct log_known *known = &log->known[block];
		bool is_part = part && i == 0;

		if (is_part && !n_insns)
			break;
		if (is_part)
			block = log_intern(translator, part, n_insns);
		*ARRAY_ADD(log, told_blocks) = block;
		add_words(translator, task, known, (const uint64_t *)(const void *)(bytes + log->records[i].offset),
			  is_part ? n_insns : BLOCK_INSNS_MAX);
		if (log->n_told_blocks == STREAM_BATCH_BLOCKS)
			tell(translator, task);
	}
	tell(translator, task);
}
