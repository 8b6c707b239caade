#include <string.h>

#include "base/array.h"
#include "engine/translate/log.h"

/* Finds out, once, how to read what a block of the profile logs. */
static void learn(struct translator *translator, uint32_t index)
{
	const struct profile *profile = translator->engine->profile;
	const struct profile_block *block = &profile->blocks[index];
	struct log *log = &translator->log;
	struct log_known *known;

	if (index < log->n_known && log->known[index].is_known)
		return;
	while (log->n_known <= index)
		*ARRAY_ADD(log, known) = (struct log_known){0};
	known = &log->known[index];
	log_plan_init(&log->plan);
	for (uint32_t i = 0; i < block->n_insns; i++) {
		const struct profile_insn *from = &profile->insns[profile->block_insns[block->first + i]];
		struct insn insn;

		if (insn_decode(from->bytes, from->length, &insn))
			log_plan_add(&log->plan, i, from->va, &insn);
	}
	*known = (struct log_known){.first_word = (uint32_t)log->n_words,
				    .n_words = (uint32_t)log->plan.n_words,
				    .is_known = true,
				    .is_plain = true};
	for (size_t i = 0; i < log->plan.n_words; i++) {
		struct log_word word = log->plan.words[i];

		if (!word.has_slot)
			word.slot = (uint8_t)log->plan.n_slots;
		known->is_plain &= word.kind == WORD_SLOT || word.kind == WORD_CONSTANT;
		*ARRAY_ADD(log, words) = word;
	}
}

/* From the last to the first: only their ends tell where they begin. */
static size_t find_records(struct log *log, const uint8_t *bytes, size_t n_bytes)
{
	size_t n_records = 0;
	uint32_t written;

	if (!log->records)
		log->records = xcalloc(LOG_BYTES / LOG_SLOT_BYTES, sizeof(*log->records));
	while (n_bytes) {
		memcpy(&written, bytes + n_bytes - LOG_SLOT_BYTES, sizeof(written));
		n_bytes -= log_record_bytes(log_written_slots(written));
		log->records[n_records++] = (struct log_record){.offset = (uint32_t)n_bytes, .written = written};
	}
	return n_records;
}

static uint64_t value_of(const struct log_word *word, const uint64_t *slots, uint64_t fs_base)
{
	uint64_t value = word->constant + slots[word->slot];

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

static void tell(struct translator *translator, struct task *task)
{
	struct log *log = &translator->log;

	log_tell(translator, task, log->told_blocks, log->n_told_blocks, log->told_words, log->n_told_words);
	log->n_told_blocks = log->n_told_words = 0;
}

/* Adds a record's words, those of the first n_insns instructions. Behind the slots there is a 0. */
static void add_words(struct log *log, const struct log_known *known, const uint64_t *slots, size_t n_insns,
		      uint64_t fs_base)
{
	const struct log_word *words = log->words + known->first_word;
	size_t n_told = log->n_told_words, n_words = known->n_words;
	uint64_t *told;

	if (n_told + n_words > log->told_words_capacity)
		log->told_words = array_reserve(log->told_words, &log->told_words_capacity, n_told + n_words,
						sizeof(*log->told_words));
	told = log->told_words + n_told;
	if (known->is_plain && n_insns == BLOCK_INSNS_MAX) {
		for (size_t i = 0; i < n_words; i++)
			told[i] = words[i].constant + slots[words[i].slot];
		log->n_told_words = n_told + n_words;
		return;
	}
	for (size_t i = 0; i < n_words && words[i].insn < n_insns; i++)
		*told++ = value_of(&words[i], slots, fs_base);
	log->n_told_words = (size_t)(told - log->told_words);
}

static void add_record(struct translator *translator, uint8_t *bytes, struct log_record record, size_t n_insns,
		       uint64_t fs_base)
{
	uint64_t *slots = (uint64_t *)(void *)(bytes + record.offset);
	uint32_t block = record.written & LOG_INDEX_MASK;
	struct log *log = &translator->log;

	if (record.written & LOG_FIRST) {
		block = log_identify(translator, &translator->blocks[block]);
		learn(translator, block);
	}
	slots[log_written_slots(record.written)] = 0;
	add_words(log, &log->known[block], slots, n_insns, fs_base);
	log->told_blocks[log->n_told_blocks++] = block;
}

void log_tell_records(struct translator *translator, struct task *task, uint8_t *bytes, size_t n_bytes,
		      const struct block *part, size_t n_insns)
{
	uint64_t fs_base = *area_word(task->area, AREA_FS);
	struct log *log = &translator->log;
	size_t i = find_records(log, bytes, n_bytes);

	while (i-- > (part != NULL)) {
		add_record(translator, bytes, log->records[i], BLOCK_INSNS_MAX, fs_base);
		if (log->n_told_blocks == STREAM_BATCH_BLOCKS)
			tell(translator, task);
	}
	if (part && n_insns) {
		add_record(translator, bytes, log->records[0], n_insns, fs_base);
		log->told_blocks[log->n_told_blocks - 1] = log_intern(translator, part, n_insns);
	}
	tell(translator, task);
}
