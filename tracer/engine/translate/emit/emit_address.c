#include "engine/translate/emit/emit_address.h"

#include "engine/translate/emit/encode.h"

void emit_sum(struct zone *zone, uint8_t to, const struct logged_address *address)
{
	bool has_base = address->base != LOG_NO_REG, has_index = address->index != LOG_NO_REG;
	uint8_t base = has_base ? address->base : GENERAL_RBP, index = has_index ? address->index : GENERAL_RSP;
	bool has_sib = has_index || (base & 7) == GENERAL_RSP;
	bool is_short = has_base && address->constant == (uint64_t)(int8_t)address->constant;
	uint8_t mod = !has_base ? 0x00 : is_short ? 0x40 : 0x80;

	EMIT(zone, (uint8_t)((address->is_32_bit ? 0x40 : 0x48) | (to & 8) >> 1 | (index & 8) >> 2 | (base & 8) >> 3),
	     LEA);
	EMIT(zone, (uint8_t)(mod | (to & 7) << 3 | (has_sib ? 4 : base & 7)));
	if (has_sib)
		EMIT(zone,
		     (uint8_t)((has_index ? __builtin_ctz(address->scale) << 6 : 0) | (index & 7) << 3 | (base & 7)));
	if (is_short)
		EMIT(zone, (uint8_t)address->constant);
	else
		emit_32(zone, (uint32_t)address->constant);
}

void emit_sum_with(struct translator *translator, uint32_t offset, const struct logged_address *address, size_t i)
{
	struct zone *zone = translator->emitter.zone;

	emit_take_r11(translator, STATE_INTERNAL, i);
	emit_area(zone, STORE_RCX, AREA_RCX);
	emit_area(zone, LOAD_RCX, offset);
	emit_sum(zone, INSN_R11, address);
	emit_area(zone, LOAD_RCX, AREA_RCX);
	emit_state(translator, STATE_CLEAN, i);
}

static uint8_t general(struct insn_register reg)
{
	return reg.file == REGISTER_GENERAL ? reg.number : LOG_NO_REG;
}

/* Adds a register times scale, or nothing, and a constant to a register. RSP cannot be an index. */
static void emit_add(struct zone *zone, uint8_t to, uint8_t reg, uint8_t scale, uint64_t constant)
{
	struct logged_address sum = {.base = to, .index = reg, .scale = scale, .constant = constant};

	if (reg == GENERAL_RSP)
		sum = (struct logged_address){.base = reg, .index = to, .scale = 1, .constant = constant};
	if (reg != LOG_NO_REG || constant)
		emit_sum(zone, to, &sum);
}

static void emit_gs_address(struct zone *zone, uint8_t to, const struct insn *insn)
{
	const struct insn_operand *operand;
	struct insn_operands operands;

	insn_operands_decode(insn->bytes, insn->length, &operands);
	operand = operands.operands;
	while (operand->segment != SEGMENT_GS)
		operand++;
	emit_area(zone, to == INSN_RCX ? LOAD_RCX : LOAD_R11, AREA_GS);
	emit_add(zone, to, general(operand->base), 1, (uint64_t)operand->displacement);
	emit_add(zone, to, general(operand->index), operand->scale, 0);
}

bool emit_address(struct translator *translator, const struct block_ir *ir, size_t i)
{
	const struct insn_effects *effects = &ir->effects[i];
	const struct fragment_insn *insn = &ir->insns[i];
	struct zone *zone = translator->emitter.zone;
	uint8_t to = emit_address_register(effects);
	uint64_t va = 0;

	if (!effects->has_gs) {
		va = effects->displacement_offset ? block_ir_operand_va(&insn->insn, effects, insn->va) : 0;
		if (!effects->displacement_offset || cache_serves(zone, va))
			return false;
	}
	if (to == INSN_RCX) {
		emit_area(zone, STORE_RCX, AREA_RCX);
		emit_state(translator, STATE_RCX_IN_AREA, i);
	} else {
		emit_take_r11(translator, STATE_CLEAN, i);
	}
	if (effects->has_gs) {
		emit_gs_address(zone, to, &insn->insn);
		return true;
	}
	EMIT(zone, to == INSN_RCX ? 0x48 : 0x49, to == INSN_RCX ? 0xb9 : 0xbb); /* mov rcx or r11, imm64 */
	emit_absolute(translator, zone, ABSOLUTE_PROGRAM_VA, va);
	return true;
}
