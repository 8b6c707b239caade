#include "engine/translate/emit/emit_log.h"

#include "engine/translate/emit/emit_address.h"
#include "engine/translate/emit/encode.h"
#include "engine/translate/log/log_shapes.h"

enum { GENERAL_R10 = 10, WORD_BYTES = 8 };

void emit_log_plan(struct translator *translator, uint32_t fragment)
{
	struct log *log = &translator->log;

	if (!log->is_wanted)
		return;
	log->n_emitted = 0;
	log->head = log_shapes_add(translator, fragment, translator_fragment(translator, fragment)->n_insns,
				   log->plan.n_logged);
}

/* Emits an instruction with a register and the operand [log pointer + displacement]. */
static void emit_logged(struct translator *translator, uint8_t rex, uint8_t opcode, uint8_t reg, size_t displacement)
{
	uint8_t base = translator->log.plan.stolen & 7, modrm = (uint8_t)((reg & 7) << 3 | base);
	struct zone *zone = translator->emitter.zone;

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

enum { REX_W = 0x48, MOV_STORE = 0x89, MOV_STORE_IMMEDIATE = 0xc7, MOV_LOAD = 0x8b };

static void emit_head(struct translator *translator, uint32_t head)
{
	emit_logged(translator, translator->log.shapes.source.has_addresses ? REX_W : 0, MOV_STORE_IMMEDIATE, 0, 0);
	emit_32(translator->emitter.zone, head);
}

static void emit_advance(struct translator *translator, uint32_t head)
{
	emit_logged(translator, REX_W, LEA, translator->log.plan.stolen, log_shapes_record_bytes(translator, head));
}

void emit_log_head(struct translator *translator, uint32_t fragment)
{
	if (!translator->log.is_wanted)
		return;
	emit_head(translator, translator->log.head);
	translator_fragment(translator, fragment)->record_begin_va = emit_va(translator->emitter.zone);
}

void emit_log_end(struct translator *translator, uint32_t fragment, size_t n_done)
{
	if (!translator->log.is_wanted)
		return;
	emit_state(translator, STATE_INTERNAL, n_done);
	emit_advance(translator, translator->log.head);
	translator_fragment(translator, fragment)->record_end_va = emit_va(translator->emitter.zone);
}

uint32_t emit_log_plan_side(struct translator *translator, uint32_t fragment, size_t i)
{
	return translator->log.is_wanted ? log_shapes_add(translator, fragment, i + 1, translator->log.n_emitted)
					 : LOG_NO_HEAD;
}

void emit_log_side(struct translator *translator, uint32_t head)
{
	if (head == LOG_NO_HEAD)
		return;
	emit_head(translator, head);
	emit_advance(translator, head);
}

static size_t record_offset(size_t n_before)
{
	return (n_before + 1) * WORD_BYTES;
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

static void replace(struct logged_address *address, uint8_t from, uint8_t to)
{
	address->base = address->base == from ? to : address->base;
	address->index = address->index == from ? to : address->index;
}

static bool uses_reg(const struct logged_address *address, uint8_t reg)
{
	return address->base == reg || address->index == reg;
}

/* Computes the address in R11, without the base of its segment. */
static void emit_offset(struct translator *translator, struct logged_address address, size_t i)
{
	uint8_t stolen = translator->log.plan.stolen;

	emit_save_r11(translator);
	if (uses_reg(&address, stolen) && uses_reg(&address, INSN_R11)) {
		replace(&address, stolen, INSN_RCX);
		emit_sum_with(translator, AREA_STOLEN, &address, i);
		return;
	}
	if (uses_reg(&address, stolen)) {
		emit_take_r11(translator, STATE_CLEAN, i);
		emit_area(translator->emitter.zone, LOAD_R11, AREA_STOLEN);
		replace(&address, stolen, INSN_R11);
	}
	if (address.base == LOG_NO_REG && address.index == LOG_NO_REG)
		emit_constant(translator->emitter.zone, address.constant);
	else
		emit_sum(translator->emitter.zone, INSN_R11, &address);
	emit_take_r11(translator, STATE_CLEAN, i);
}

/* Computes the address in R11, with the base of its segment. */
static void emit_segment_address(struct translator *translator, const struct logged_address *address, size_t i)
{
	static const struct logged_address plus_rcx = {.base = INSN_R11, .index = INSN_RCX, .scale = 1};
	const struct logged_address plus_constant = {.base = INSN_R11,
						     .index = LOG_NO_REG,
						     .constant = address->constant};

	if (address->base != LOG_NO_REG || address->index != LOG_NO_REG) {
		emit_offset(translator, *address, i);
		emit_sum_with(translator, address->segment_base, &plus_rcx, i);
		return;
	}
	emit_take_r11(translator, STATE_CLEAN, i);
	emit_area(translator->emitter.zone, LOAD_R11, address->segment_base);
	emit_sum(translator->emitter.zone, INSN_R11, &plus_constant);
}

static void emit_logged_address(struct translator *translator, const struct logged_address *address, size_t offset,
				size_t i)
{
	uint8_t reg = INSN_R11;

	emit_state(translator, STATE_CLEAN, i);
	if (uses_reg(address, INSN_R11) && !translator->emitter.r11_in_register) {
		emit_restore_r11(translator);
		emit_state(translator, STATE_CLEAN, i);
	}
	if (address->segment_base)
		emit_segment_address(translator, address, i);
	else if (address->base != LOG_NO_REG && address->index == LOG_NO_REG && !address->constant &&
		 !address->is_32_bit && address->base != translator->log.plan.stolen)
		reg = address->base;
	else
		emit_offset(translator, *address, i);
	emit_logged(translator, REX_W, MOV_STORE, reg, offset);
}

void emit_log_before(struct translator *translator, size_t i)
{
	struct log *log = &translator->log;

	if (!log->is_wanted)
		return;
	for (; log->n_emitted < log->plan.n_logged && log->plan.logged[log->n_emitted].insn == i; log->n_emitted++) {
		emit_log_pointer(translator, STATE_CLEAN, i);
		/* A length is written twice. The first time has any value: it ensures that the log cannot run full
		 * after the instruction. */
		emit_logged_address(translator, &log->plan.logged[log->n_emitted], record_offset(log->n_emitted), i);
	}
}

void emit_log_after(struct translator *translator, size_t i)
{
	const struct log *log = &translator->log;
	const struct logged_address *address;
	size_t offset;

	if (!log->is_wanted || !log->n_emitted)
		return;
	address = &log->plan.logged[log->n_emitted - 1];
	if (address->insn != i || !address->is_length)
		return;
	offset = record_offset(log->n_emitted - 1);
	emit_take_r11(translator, STATE_INTERNAL, i + 1);
	emit_logged(translator, REX_W, MOV_LOAD, INSN_R11, offset - WORD_BYTES);
	EMIT(translator->emitter.zone, 0x49, 0xf7, 0xd3); /* not r11 */
	emit_sum(translator->emitter.zone, INSN_R11,
		 &(const struct logged_address){.base = address->base, .index = INSN_R11, .scale = 1, .constant = 1});
	emit_logged(translator, REX_W, MOV_STORE, INSN_R11, offset);
}

static void emit_program_value(struct translator *translator)
{
	uint8_t stolen = translator->log.plan.stolen;
	struct zone *zone = translator->emitter.zone;

	emit_area(zone, access_of(STORE_R8, stolen), AREA_LOG_POINTER);
	emit_area(zone, access_of(LOAD_R8, stolen), AREA_STOLEN);
	translator->emitter.has_program_value = true;
}

void emit_log_program_value(struct translator *translator, size_t i)
{
	if (!translator->log.is_wanted || translator->emitter.has_program_value || !translator->log.plan.uses_stolen[i])
		return;
	emit_state(translator, STATE_CLEAN, i);
	emit_program_value(translator);
}

void emit_log_syscall_argument(struct translator *translator)
{
	/* System calls take arguments in R8 to R10 (System V ABI for AMD64, A.2.1). */
	if (translator->log.is_wanted && translator->log.plan.stolen <= GENERAL_R10)
		emit_program_value(translator);
}

void emit_log_pointer(struct translator *translator, enum state_kind kind, size_t i)
{
	uint8_t stolen = translator->log.plan.stolen;
	struct zone *zone = translator->emitter.zone;

	if (!translator->emitter.has_program_value)
		return;
	emit_state(translator, kind, i);
	emit_area(zone, access_of(STORE_R8, stolen), AREA_STOLEN);
	emit_area(zone, access_of(LOAD_R8, stolen), AREA_LOG_POINTER);
	translator->emitter.has_program_value = false;
	emit_state(translator, kind, i);
}
