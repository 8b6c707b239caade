/* The block IR: instructions of the program that become one fragment, decoded and analysed. */
#ifndef ITRACE_ENGINE_TRANSLATE_BUILD_BLOCK_IR_H
#define ITRACE_ENGINE_TRANSLATE_BUILD_BLOCK_IR_H

#include <string.h>

#include "engine/translate/fragments.h"

struct block_ir {
	uint64_t va, end_va;				/* end_va: address after the last instruction */
	struct fragment_insn insns[FRAGMENT_INSNS_MAX]; /* in order of execution */
	struct insn_effects effects[FRAGMENT_INSNS_MAX];
	uint16_t flags_live[FRAGMENT_INSNS_MAX]; /* arithmetic flags live before each instruction */
	size_t n_insns;
	bool is_checked; /* begins with a comparison of its bytes (emit/emit_check.h) */
	bool is_trace;	 /* continues after transfers of control, even into code at which other fragments begin */
};

struct translator;

/* Reads the IR of the block or trace at va, and plans its log records (log.plan). Returns false if the first
 * instruction cannot be translated. */
bool block_builder_read(struct translator *translator, uint64_t va, struct block_ir *ir);

/* Returns the address to which branch i leaves the trace: the direction that the trace does not follow. */
static inline uint64_t block_ir_side_va(const struct block_ir *ir, size_t i)
{
	uint64_t next_va = fragment_insn_next_va(&ir->insns[i]);

	return ir->insns[i + 1].va == next_va ? fragment_insn_target_va(&ir->insns[i]) : next_va;
}

/* Returns the address of a RIP-relative operand. */
static inline uint64_t block_ir_operand_va(const struct insn *insn, const struct insn_effects *effects, uint64_t va)
{
	int32_t displacement;

	memcpy(&displacement, insn->bytes + effects->displacement_offset, sizeof(displacement));
	return va + insn->length + (uint64_t)(int64_t)displacement;
}

#endif
