#include "engine/translate/emit/emit_block.h"
#include "engine/translate/emit/encode.h"
#include "engine/translate/log/log.h"

enum { GENERAL_R10 = 10, GENERAL_R11, WORD_BYTES = 8 };

void log_plan_block(struct translator *translator, uint32_t block)
{
	struct log *log = &translator->log;

	if (!log->is_wanted)
		return;
	log->n_emitted = 0;
	log->head = log_add_shape(translator, block, translator->blocks[block].n_insns, log->plan.n_words);
}

/* An opcode with a register and the operand [stolen + disp]. */
static void emit_logged(struct translator *translator, uint8_t rex, uint8_t opcode, uint8_t reg, size_t displacement)
{
	uint8_t base = translator->log.plan.stolen & 7, modrm = (uint8_t)((reg & 7) << 3 | base);
	struct zone *zone = translator->zone;

	rex |= (uint8_t)(0x41 | (reg & 8) >> 1);
	if (displacement == 0 && base != GENERAL_RBP) {
		EMIT(zone, rex, opcode, modrm);
	} else if (displacement <= INT8_MAX) {
		EMIT(zone, rex, opcode, 0x40 | modrm, (uint8_t)displacement);
	} else {
		EMIT(zone, rex, opcode, 0x80 | modrm);
		emit_32(zone, (uint32_t)displacement);
	}
}

enum { REX_W = 0x48, MOV_STORE = 0x89, MOV_STORE_IMMEDIATE = 0xc7, MOV_LOAD = 0x8b, LEA = 0x8d };

static void emit_head(struct translator *translator, uint32_t head)
{
	emit_logged(translator, translator->log.shapes.have_words ? REX_W : 0, MOV_STORE_IMMEDIATE, 0, 0);
	emit_32(translator->zone, head);
}

static void emit_advance(struct translator *translator, uint32_t head)
{
	emit_logged(translator, REX_W, LEA, translator->log.plan.stolen, log_record_bytes(translator, head));
}

void log_emit_block(struct translator *translator, uint32_t block)
{
	if (!translator->log.is_wanted)
		return;
	emit_head(translator, translator->log.head);
	translator->blocks[block].logged_va = emit_va(translator->zone);
}

void log_emit_end(struct translator *translator, uint32_t block, size_t n_done)
{
	if (!translator->log.is_wanted)
		return;
	mark(translator, POINT_FORWARD, n_done);
	emit_advance(translator, translator->log.head);
	translator->blocks[block].told_va = emit_va(translator->zone);
}

uint32_t log_plan_side(struct translator *translator, uint32_t block, size_t i)
{
	return translator->log.is_wanted ? log_add_shape(translator, block, i + 1, translator->log.n_emitted)
					 : LOG_NO_HEAD;
}

void log_emit_side(struct translator *translator, uint32_t head)
{
	if (head == LOG_NO_HEAD)
		return;
	emit_head(translator, head);
	emit_advance(translator, head);
}

static size_t word_place(size_t word)
{
	return (word + 1) * WORD_BYTES;
}

/* R11 becomes base + index * scale + constant. */
static void emit_sum(struct zone *zone, const struct log_word *word)
{
	bool has_base = word->base != LOG_NONE, has_index = word->index != LOG_NONE;
	uint8_t base = has_base ? word->base : GENERAL_RBP, index = has_index ? word->index : GENERAL_RSP;
	bool has_sib = has_index || (base & 7) == GENERAL_RSP;
	bool is_short = has_base && word->constant == (uint64_t)(int8_t)word->constant;
	uint8_t mod = !has_base ? 0x00 : is_short ? 0x40 : 0x80;

	EMIT(zone, (uint8_t)((word->is_cut ? 0x44 : 0x4c) | (index & 8) >> 2 | (base & 8) >> 3), LEA);
	EMIT(zone, (uint8_t)(mod | 0x18 | (has_sib ? 4 : base & 7)));
	if (has_sib)
		EMIT(zone,
		     (uint8_t)((has_index ? __builtin_ctz(word->scale) << 6 : 0) | (index & 7) << 3 | (base & 7)));
	if (is_short)
		EMIT(zone, (uint8_t)word->constant);
	else
		emit_32(zone, (uint32_t)word->constant);
}

static void emit_constant(struct zone *zone, uint64_t value)
{
	if (value == (uint64_t)(int32_t)value) {
		EMIT(zone, 0x49, 0xc7, 0xc3); /* mov r11, imm32 */
		emit_32(zone, (uint32_t)value);
		return;
	}
	EMIT(zone, 0x49, 0xbb); /* mov r11, imm64 */
	emit_64(zone, value);
}

/* R11 becomes such a sum with RCX, which stands for a word of the area meanwhile. */
static void emit_sum_with(struct translator *translator, uint32_t offset, const struct log_word *word, size_t i)
{
	struct zone *zone = translator->zone;

	take_r11(translator, POINT_FORWARD, i);
	emit_area(zone, STORE_RCX, AREA_RCX);
	emit_area(zone, LOAD_RCX, offset);
	emit_sum(zone, word);
	emit_area(zone, LOAD_RCX, AREA_RCX);
	mark(translator, POINT_CLEAN, i);
}

static void replace(struct log_word *word, uint8_t from, uint8_t to)
{
	word->base = word->base == from ? to : word->base;
	word->index = word->index == from ? to : word->index;
}

static bool word_uses(const struct log_word *word, uint8_t reg)
{
	return word->base == reg || word->index == reg;
}

/* Leaves the word in R11, but for the base of FS. */
static void emit_offset(struct translator *translator, struct log_word word, size_t i)
{
	uint8_t stolen = translator->log.plan.stolen;

	save_r11(translator);
	if (word_uses(&word, stolen) && word_uses(&word, GENERAL_R11)) {
		replace(&word, stolen, GENERAL_RCX);
		emit_sum_with(translator, AREA_OWN, &word, i);
		return;
	}
	if (word_uses(&word, stolen)) {
		take_r11(translator, POINT_CLEAN, i);
		emit_area(translator->zone, LOAD_R11, AREA_OWN);
		replace(&word, stolen, GENERAL_R11);
	}
	if (word.base == LOG_NONE && word.index == LOG_NONE)
		emit_constant(translator->zone, word.constant);
	else
		emit_sum(translator->zone, &word);
	take_r11(translator, POINT_CLEAN, i);
}

/* Leaves it in R11, with that base. */
static void emit_fs_word(struct translator *translator, const struct log_word *word, size_t i)
{
	static const struct log_word plus_rcx = {.base = GENERAL_R11, .index = GENERAL_RCX, .scale = 1};
	const struct log_word plus_constant = {.base = GENERAL_R11, .index = LOG_NONE, .constant = word->constant};

	if (word->base != LOG_NONE || word->index != LOG_NONE) {
		emit_offset(translator, *word, i);
		emit_sum_with(translator, AREA_FS, &plus_rcx, i);
		return;
	}
	take_r11(translator, POINT_CLEAN, i);
	emit_area(translator->zone, LOAD_R11, AREA_FS);
	emit_sum(translator->zone, &plus_constant);
}

static void emit_word(struct translator *translator, const struct log_word *word, size_t place, size_t i)
{
	uint8_t reg = GENERAL_R11;

	mark(translator, POINT_CLEAN, i);
	if (word_uses(word, GENERAL_R11) && !translator->r11_is_home) {
		fetch_r11(translator);
		mark(translator, POINT_CLEAN, i);
	}
	if (word->has_fs)
		emit_fs_word(translator, word, i);
	else if (word->base != LOG_NONE && word->index == LOG_NONE && !word->constant && !word->is_cut &&
		 word->base != translator->log.plan.stolen)
		reg = word->base;
	else
		emit_offset(translator, *word, i);
	emit_logged(translator, REX_W, MOV_STORE, reg, place);
}

void log_emit_before(struct translator *translator, size_t i)
{
	struct log *log = &translator->log;

	if (!log->is_wanted)
		return;
	for (; log->n_emitted < log->plan.n_words && log->plan.words[log->n_emitted].insn == i; log->n_emitted++) {
		log_emit_stolen(translator, POINT_CLEAN, i);
		/* The place of a length is stored to, too, so that it is not there that the log is full. */
		emit_word(translator, &log->plan.words[log->n_emitted], word_place(log->n_emitted), i);
	}
}

void log_emit_after(struct translator *translator, size_t i)
{
	const struct log *log = &translator->log;
	const struct log_word *word;
	size_t place;

	if (!log->is_wanted || !log->n_emitted)
		return;
	word = &log->plan.words[log->n_emitted - 1];
	if (word->insn != i || !word->is_length)
		return;
	place = word_place(log->n_emitted - 1);
	take_r11(translator, POINT_FORWARD, i + 1);
	emit_logged(translator, REX_W, MOV_LOAD, GENERAL_R11, place - WORD_BYTES);
	EMIT(translator->zone, 0x49, 0xf7, 0xd3); /* not r11 */
	emit_sum(translator->zone,
		 &(const struct log_word){.base = word->base, .index = GENERAL_R11, .scale = 1, .constant = 1});
	emit_logged(translator, REX_W, MOV_STORE, GENERAL_R11, place);
}

static void emit_own(struct translator *translator)
{
	uint8_t stolen = translator->log.plan.stolen;
	struct zone *zone = translator->zone;

	emit_area(zone, access_of(STORE_R8, stolen), AREA_LOG);
	emit_area(zone, access_of(LOAD_R8, stolen), AREA_OWN);
	translator->log.is_own = true;
}

void log_emit_own(struct translator *translator, size_t i)
{
	if (!translator->log.is_wanted || translator->log.is_own || !translator->log.plan.uses_stolen[i])
		return;
	mark(translator, POINT_CLEAN, i);
	emit_own(translator);
}

void log_emit_own_argument(struct translator *translator)
{
	/* System calls take arguments in R8 to R10 (System V ABI for AMD64, A.2.1). */
	if (translator->log.is_wanted && translator->log.plan.stolen <= GENERAL_R10)
		emit_own(translator);
}

void log_emit_stolen(struct translator *translator, enum point_kind kind, size_t i)
{
	uint8_t stolen = translator->log.plan.stolen;
	struct zone *zone = translator->zone;

	if (!translator->log.is_own)
		return;
	mark(translator, kind, i);
	emit_area(zone, access_of(STORE_R8, stolen), AREA_OWN);
	emit_area(zone, access_of(LOAD_R8, stolen), AREA_LOG);
	translator->log.is_own = false;
	mark(translator, kind, i);
}
