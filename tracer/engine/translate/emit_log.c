#include "decode/insn_operands.h"
#include "engine/translate/emit_insn.h"
#include "engine/translate/emit.h"
#include "engine/translate/log.h"

enum { GENERAL_R11 = 11, GENERAL_R15 = 15 };

void log_plan_block(struct translator *translator, const struct draft *draft)
{
	struct log *log = &translator->log;
	struct insn_operands operands;

	if (!log->is_wanted)
		return;
	log_plan_init(&log->plan);
	log->n_emitted = 0;
	if (translator->n_blocks > LOG_INDEX_MASK)
		translator->is_full = true;
	for (size_t i = 0; i < draft->n_insns; i++) {
		const struct insn *insn = &draft->insns[i].insn;
		bool known = insn_operands_decode(insn->bytes, insn->length, &operands);

		log->uses_r15[i] =
			!known ||
			((operands.read.general | operands.written.general | operands.address) >> GENERAL_R15 & 1);
		if (log->has_addresses)
			log_plan_add(&log->plan, i, draft->insns[i].va, insn);
	}
}

/* R15 has been advanced. */
static int32_t slot_place(const struct log *log, size_t slot)
{
	return (int32_t)(slot * LOG_SLOT_BYTES) - (int32_t)log_record_bytes(log->plan.n_slots);
}

void log_emit_block(struct translator *translator, uint32_t block)
{
	struct zone *zone = translator->zone;
	uint32_t n_bytes;

	if (!translator->log.is_wanted)
		return;
	if (!translator->log.has_addresses) {
		emit_alignment(zone, 3);
		EMIT(zone, 0x41, 0xc7, 0x07); /* mov dword [r15], imm32 */
		emit_32(zone, block | LOG_FIRST);
		EMIT(zone, 0x4d, 0x8d, 0x7f, 0x04); /* lea r15, [r15 + 4] */
	} else {
		n_bytes = log_record_bytes(translator->log.plan.n_slots);
		emit_alignment(zone, 7);
		EMIT(zone, 0x49, 0xc7, 0x87); /* mov qword [r15 + disp32], imm32 */
		emit_32(zone, n_bytes - LOG_SLOT_BYTES);
		emit_32(zone, block | (uint32_t)translator->log.plan.n_slots << LOG_SLOTS_SHIFT | LOG_FIRST);
		EMIT(zone, 0x4d, 0x8d, 0xbf); /* lea r15, [r15 + disp32] */
		emit_32(zone, n_bytes);
	}
	translator->blocks[block].logged_va = emit_va(zone);
}

static void emit_slot_store(struct translator *translator, uint8_t reg, size_t slot)
{
	struct zone *zone = translator->zone;

	/* mov [r15 + disp32], reg */
	EMIT(zone, (uint8_t)(0x49 | (reg & 8) >> 1), 0x89, (uint8_t)(0x87 | (reg & 7) << 3));
	emit_32(zone, (uint32_t)slot_place(&translator->log, slot));
}

/* lea r11, [base + index * scale] */
static void emit_sum(struct zone *zone, const struct log_slot *slot)
{
	bool has_base = slot->base != LOG_NONE;
	uint8_t base = has_base ? slot->base : GENERAL_RBP;
	uint8_t scale = (uint8_t)__builtin_ctz(slot->scale);

	EMIT(zone, (uint8_t)(0x4c | (slot->index & 8) >> 2 | (base & 8) >> 3), 0x8d, has_base ? 0x5c : 0x1c,
	     (uint8_t)(scale << 6 | (slot->index & 7) << 3 | (base & 7)));
	/* disp8 with a base; without one, a disp32. */
	EMIT(zone, 0);
	if (!has_base)
		EMIT(zone, 0, 0, 0);
}

static bool slot_uses(const struct log_slot *slot, uint8_t reg)
{
	return slot->base == reg || slot->index == reg;
}

static void emit_slot(struct translator *translator, const struct log_slot *logged, size_t slot, size_t i)
{
	struct log_slot sum = *logged;

	if (slot_uses(&sum, GENERAL_R11) && !translator->r11_is_home) {
		fetch_r11(translator);
		mark(translator, POINT_CLEAN, i);
	}
	if (sum.index == LOG_NONE && sum.base != GENERAL_R15) {
		emit_slot_store(translator, sum.base, slot);
		return;
	}
	if (slot_uses(&sum, GENERAL_R15)) {
		take_r11(translator, POINT_CLEAN, i);
		emit_area(translator->zone, LOAD_R11, AREA_OWN_R15);
		sum.base = sum.base == GENERAL_R15 ? GENERAL_R11 : sum.base;
		sum.index = sum.index == GENERAL_R15 ? GENERAL_R11 : sum.index;
	} else {
		save_r11(translator);
	}
	if (sum.index != LOG_NONE)
		emit_sum(translator->zone, &sum);
	take_r11(translator, POINT_CLEAN, i);
	emit_slot_store(translator, GENERAL_R11, slot);
}

void log_emit_before(struct translator *translator, size_t i)
{
	struct log *log = &translator->log;

	if (!log->is_wanted)
		return;
	for (; log->n_emitted < log->plan.n_slots; log->n_emitted++) {
		const struct log_slot *slot = &log->plan.slots[log->n_emitted];

		if (slot->insn != i || slot->is_after)
			break;
		log_emit_stolen(translator, POINT_CLEAN, i);
		mark(translator, POINT_CLEAN, i);
		emit_slot(translator, slot, log->n_emitted, i);
	}
}

void log_emit_after(struct translator *translator, size_t i)
{
	struct log *log = &translator->log;

	for (; log->is_wanted && log->n_emitted < log->plan.n_slots; log->n_emitted++) {
		const struct log_slot *slot = &log->plan.slots[log->n_emitted];

		if (slot->insn != i || !slot->is_after)
			break;
		mark(translator, POINT_FORWARD, i + 1);
		emit_slot_store(translator, slot->base, log->n_emitted);
	}
}

void log_emit_own(struct translator *translator, size_t i)
{
	struct zone *zone = translator->zone;

	if (!translator->log.is_wanted || translator->log.is_own || !translator->log.uses_r15[i])
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
