#include "engine/translate/emit_insn.h"
#include "engine/translate/emit.h"
#include "engine/translate/log.h"

enum { GENERAL_R11 = 11, GENERAL_R15 = 15, WORD_BYTES = 8 };

void log_plan_block(struct translator *translator, uint32_t block)
{
	struct log *log = &translator->log;

	if (!log->is_wanted)
		return;
	log->n_emitted = 0;
	log->head = log_add_shape(translator, block, translator->blocks[block].n_insns, log->plan.n_words);
}

/* An opcode with a register and the operand [r15 + disp]. */
static void emit_logged(struct zone *zone, uint8_t rex, uint8_t opcode, uint8_t reg, size_t displacement)
{
	rex |= (uint8_t)(0x41 | (reg & 8) >> 1);
	reg = (uint8_t)((reg & 7) << 3);
	if (displacement == 0) {
		EMIT(zone, rex, opcode, 0x07 | reg);
	} else if (displacement <= INT8_MAX) {
		EMIT(zone, rex, opcode, 0x47 | reg, (uint8_t)displacement);
	} else {
		EMIT(zone, rex, opcode, 0x87 | reg);
		emit_32(zone, (uint32_t)displacement);
	}
}

enum { REX_W = 0x48, MOV_STORE = 0x89, MOV_STORE_IMMEDIATE = 0xc7, MOV_LOAD = 0x8b, LEA = 0x8d };

static void emit_head(struct translator *translator, uint32_t head)
{
	emit_logged(translator->zone, translator->log.shapes.have_words ? REX_W : 0, MOV_STORE_IMMEDIATE, 0, 0);
	emit_32(translator->zone, head);
}

static void emit_advance(struct translator *translator, uint32_t head)
{
	emit_logged(translator->zone, REX_W, LEA, GENERAL_R15, log_record_bytes(translator, head));
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

/* Adds the base of FS to R11, which is ours. */
static void emit_fs(struct translator *translator, size_t i)
{
	struct zone *zone = translator->zone;

	mark(translator, POINT_FORWARD, i);
	emit_area(zone, STORE_RCX, AREA_RCX);
	emit_area(zone, LOAD_RCX, AREA_FS);
	EMIT(zone, 0x4d, 0x8d, 0x1c, 0x0b); /* lea r11, [r11 + rcx] */
	emit_area(zone, LOAD_RCX, AREA_RCX);
	mark(translator, POINT_CLEAN, i);
}

static void emit_word(struct translator *translator, struct log_word word, size_t place, size_t i)
{
	struct zone *zone = translator->zone;
	bool has_sum = word.base != LOG_NONE || word.index != LOG_NONE;
	bool uses_r11 = word.base == GENERAL_R11 || word.index == GENERAL_R11;
	bool uses_r15 = word.base == GENERAL_R15 || word.index == GENERAL_R15;

	mark(translator, POINT_CLEAN, i);
	if (uses_r11 && !translator->r11_is_home) {
		fetch_r11(translator);
		mark(translator, POINT_CLEAN, i);
	}
	if (word.base != LOG_NONE && word.index == LOG_NONE && !word.constant && !word.is_cut && !word.has_fs &&
	    !uses_r15) {
		emit_logged(zone, REX_W, MOV_STORE, word.base, place);
		return;
	}
	save_r11(translator);
	if (uses_r15) {
		take_r11(translator, POINT_CLEAN, i);
		emit_area(zone, LOAD_R11, AREA_OWN_R15);
		word.base = word.base == GENERAL_R15 ? GENERAL_R11 : word.base;
		word.index = word.index == GENERAL_R15 ? GENERAL_R11 : word.index;
	}
	if (has_sum)
		emit_sum(zone, &word);
	else if (!word.has_fs)
		emit_constant(zone, word.constant);
	take_r11(translator, POINT_CLEAN, i);
	if (word.has_fs && has_sum) {
		emit_fs(translator, i);
	} else if (word.has_fs) {
		emit_area(zone, LOAD_R11, AREA_FS);
		emit_sum(zone,
			 &(const struct log_word){.base = GENERAL_R11, .index = LOG_NONE, .constant = word.constant});
	}
	emit_logged(zone, REX_W, MOV_STORE, GENERAL_R11, place);
}

void log_emit_before(struct translator *translator, size_t i)
{
	struct log *log = &translator->log;

	if (!log->is_wanted)
		return;
	for (; log->n_emitted < log->plan.n_words && log->plan.words[log->n_emitted].insn == i; log->n_emitted++) {
		log_emit_stolen(translator, POINT_CLEAN, i);
		/* The place of a length is stored to, too, so that it is not there that the log is full. */
		emit_word(translator, log->plan.words[log->n_emitted], word_place(log->n_emitted), i);
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
	emit_logged(translator->zone, REX_W, MOV_LOAD, GENERAL_R11, place - WORD_BYTES);
	EMIT(translator->zone, 0x49, 0xf7, 0xd3); /* not r11 */
	emit_sum(translator->zone,
		 &(const struct log_word){.base = word->base, .index = GENERAL_R11, .scale = 1, .constant = 1});
	emit_logged(translator->zone, REX_W, MOV_STORE, GENERAL_R11, place);
}

void log_emit_own(struct translator *translator, size_t i)
{
	struct zone *zone = translator->zone;

	if (!translator->log.is_wanted || translator->log.is_own || !translator->log.plan.uses_r15[i])
		return;
	mark(translator, POINT_CLEAN, i);
	emit_area(zone, STORE_R15, AREA_LOG);
	emit_area(zone, LOAD_R15, AREA_OWN_R15);
	translator->log.is_own = true;
}

void log_emit_stolen(struct translator *translator, enum point_kind kind, size_t i)
{
	struct zone *zone = translator->zone;

	if (!translator->log.is_own)
		return;
	mark(translator, kind, i);
	emit_area(zone, STORE_R15, AREA_OWN_R15);
	emit_area(zone, LOAD_R15, AREA_LOG);
	translator->log.is_own = false;
	mark(translator, kind, i);
}
