#include "decode/insn_operands.h"
#include "engine/translate/emit_insn.h"
#include "engine/translate/emit.h"
#include "engine/translate/log.h"

enum { GENERAL_R15 = 15 };

void log_plan_block(struct translator *translator, const struct draft *draft)
{
	struct log *log = &translator->log;
	struct insn_operands operands;

	if (!log->is_wanted)
		return;
	for (size_t i = 0; i < draft->n_insns; i++) {
		const struct insn *insn = &draft->insns[i].insn;
		bool known = insn_operands_decode(insn->bytes, insn->length, &operands);

		log->uses_r15[i] =
			!known ||
			((operands.read.general | operands.written.general | operands.address) >> GENERAL_R15 & 1);
	}
}

void log_emit_block(struct translator *translator, uint32_t block)
{
	struct zone *zone = translator->zone;

	if (!translator->log.is_wanted)
		return;
	emit_alignment(zone, 3);
	EMIT(zone, 0x41, 0xc7, 0x07); /* mov dword [r15], imm32 */
	emit_32(zone, block | LOG_FIRST);
	EMIT(zone, 0x4d, 0x8d, 0x7f, 0x04); /* lea r15, [r15 + 4] */
	translator->blocks[block].logged_va = emit_va(zone);
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
