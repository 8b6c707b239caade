#include "engine/translate/build/block_ir.h"

#include "engine/translate/build/liveness.h"
#include "decode/insn_operands.h"
#include "engine/translate/emit/emit_address.h"
#include "engine/translate/emit/emit_check.h"
#include "engine/translate/consistency/stop_addresses.h"
#include "engine/translate/traces/exec_counts.h"
#include "engine/translate/traces/traces.h"

/* Each of these instructions is a fragment by itself. */
static bool needs_own_fragment(const struct insn_effects *effects)
{
	return effects->copy == COPY_SYSCALL || effects->copy == COPY_MOVES_RSP || effects->copy == COPY_RBP_TO_RSP;
}

/* Returns false if a memory operand is relative to GS, or to RIP and out of reach of a part of the zone, and cannot be
 * addressed through R11 or RCX either. */
static bool is_in_reach(const struct zone *zone, const struct insn_known *known, uint64_t va)
{
	const struct insn_effects *effects = &known->effects;
	const struct insn *insn = &known->insn;
	uint8_t ignored[INSN_MAX_BYTES];

	if (!effects->has_gs &&
	    (!effects->displacement_offset || cache_serves(zone, block_ir_operand_va(insn, effects, va))))
		return true;
	if (effects->copy == COPY_TRANSFER && effects->has_gs)
		return !effects->reads_r11;
	if (effects->copy == COPY_TRANSFER)
		return insn->length == effects->displacement_offset + sizeof(int32_t) &&
		       effects->displacement_offset == 2;
	return effects->copy == COPY_SAME && !insn->rep_count_bits &&
	       insn_encode_with_base(insn, emit_address_register(effects), ignored);
}

/* A block ends at the beginning of another fragment; a trace copies that fragment's code. */
static bool meets_fragment(struct translator *translator, const struct block_ir *ir, uint64_t va)
{
	if (!ir->n_insns || ir->insns[ir->n_insns - 1].insn.flow != FLOW_NEXT)
		return false;
	if (ir->is_trace)
		return va == ir->va && !trace_builder_may_take(ir, va);
	return pages_was_translated(&translator->pages, va) && translator_find_fragment(translator, va);
}

/* Returns true if some of these bytes must be compared before each execution. */
static bool is_checked(struct translator *translator, uint64_t va, size_t n_bytes)
{
	return pages_get(&translator->pages, va)->is_checked ||
	       pages_get(&translator->pages, va + n_bytes - 1)->is_checked;
}

/* Returns true if a self-checking fragment must end with this instruction, because it may overwrite the next one. The
 * stack contains no translated code. */
static bool ends_check(const struct block_ir *ir)
{
	const struct fragment_insn *last = &ir->insns[ir->n_insns - 1];
	struct insn_operands operands;

	return ir->is_checked && (fragment_insn_next_va(last) - ir->va >= CHECKED_BYTES_MAX ||
				  !insn_operands_decode(last->insn.bytes, last->insn.length, &operands) ||
				  (operands.writes_memory && !insn_operands_name_stack(&operands) &&
				   (!operands.moves_stack || operands.reads_memory)));
}

static bool plan_log(struct translator *translator, size_t i, uint64_t va, const struct insn *insn)
{
	struct log *log = &translator->log;

	return !log->is_wanted || log_plan_add(&log->plan, i, va, insn, log->shapes.source.has_addresses);
}

/* Returns the instruction at va if it can be added to the IR, else NULL. */
static const struct insn_known *read_next(struct translator *translator, const struct block_ir *ir, uint64_t va)
{
	const struct engine *engine = translator->engine;
	const struct insn_known *known;

	if (stop_addresses_has(translator, va) || meets_fragment(translator, ir, va) ||
	    rseq_sections_find(&engine->sections, va))
		return NULL;
	known = pages_read_insn(&translator->pages, va);
	if (!known || (!ir->is_checked && is_checked(translator, va, known->insn.length)) ||
	    known->effects.copy == COPY_NEVER || !is_in_reach(translator->emitter.zone, known, va) ||
	    (ir->n_insns && needs_own_fragment(&known->effects)) ||
	    !plan_log(translator, ir->n_insns, va, &known->insn))
		return NULL;
	return known;
}

static void add_insn(struct block_ir *ir, uint64_t va, const struct insn_known *known)
{
	ir->insns[ir->n_insns] = (struct fragment_insn){.va = va, .insn = known->insn, .index = PROFILE_NONE};
	ir->effects[ir->n_insns++] = known->effects;
}

bool block_builder_read(struct translator *translator, uint64_t va, struct block_ir *ir)
{
	struct engine *engine = translator->engine;
	size_t n_planned = 0;

	ir->va = va;
	ir->n_insns = 0;
	ir->is_checked = is_checked(translator, va, INSN_MAX_BYTES);
	ir->is_trace = !ir->is_checked && exec_counts_is_hot(translator, va);
	log_plan_begin(&translator->log.plan);
	while (va && ir->n_insns < FRAGMENT_INSNS_MAX) {
		const struct insn_known *known = read_next(translator, ir, va);
		bool is_alone;

		if (!known)
			break;
		is_alone = needs_own_fragment(&known->effects);
		add_insn(ir, va, known);
		n_planned = ir->n_insns;
		rseq_sections_note(&engine->sections, va, &known->insn);
		va += known->insn.length;
		/* Other threads may execute new code as soon as it is translated. */
		if (engine->process->n_threads > 1)
			stop_addresses_retire_sections(translator);
		if (is_alone || ends_check(ir))
			break;
		if (ir->insns[ir->n_insns - 1].insn.flow != FLOW_NEXT)
			va = trace_builder_next(translator, ir);
	}
	if (!ir->n_insns)
		return false;
	if (ir->n_insns < n_planned) {
		/* trace_builder_next() removed instructions. */
		log_plan_begin(&translator->log.plan);
		for (size_t i = 0; i < ir->n_insns; i++)
			plan_log(translator, i, ir->insns[i].va, &ir->insns[i].insn);
	}
	ir->end_va = fragment_insn_next_va(&ir->insns[ir->n_insns - 1]);
	liveness_find_flags(translator, ir);
	return true;
}
