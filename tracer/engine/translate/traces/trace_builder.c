#include "engine/translate/traces/traces.h"

#include "engine/translate/traces/exec_counts.h"
#include "engine/translate/traces/predictions.h"
#include "engine/translate/traces/seed.h"

enum {
	LOOP_COPIES_MAX = 4,
	LOOP_INSNS_MAX = 64, /* instructions in all copies together */
	PREFERRED_RATIO = 3, /* a trace follows a direction that is executed this many times as often as the other */
};

static size_t count_copies(const struct block_ir *ir, uint64_t va)
{
	size_t n_copies = 0;

	for (size_t i = 0; i < ir->n_insns; i++)
		n_copies += ir->insns[i].va == va;
	return n_copies;
}

/* A trace contains each instruction once. It may contain several copies of a short loop that it begins with. */
bool trace_builder_may_take(const struct block_ir *ir, uint64_t va)
{
	size_t n_copies = count_copies(ir, ir->va);

	if (va == ir->va)
		return n_copies < LOOP_COPIES_MAX && ir->n_insns + ir->n_insns / n_copies <= LOOP_INSNS_MAX;
	return count_copies(ir, va) < n_copies;
}

/* The trace returned to va. Ends it before the first occurrence of va, so that the loop becomes a trace of its own. */
static void cut_before_loop(struct block_ir *ir, uint64_t va)
{
	size_t begin = 0, depth = 0;

	while (ir->insns[begin].va != va)
		begin++;
	for (size_t i = begin; i < ir->n_insns; i++) {
		enum insn_flow flow = ir->insns[i].insn.flow;

		/* No loop: a function is called twice. */
		if (flow == FLOW_RETURN && depth-- == 0)
			return;
		depth += flow_is_call(flow);
	}
	if (begin && !depth)
		ir->n_insns = begin;
}

/* Returns the return address of the innermost call in progress at the trace's end, or 0. */
static uint64_t return_va(const struct block_ir *ir)
{
	size_t depth = 0;

	for (size_t i = ir->n_insns - 1; i-- > 0;) {
		const struct fragment_insn *insn = &ir->insns[i];

		if (insn->insn.flow == FLOW_RETURN)
			depth++;
		else if (flow_is_call(insn->insn.flow) && depth-- == 0)
			return fragment_insn_next_va(insn);
	}
	return 0;
}

/* Returns the direction that a branch usually takes, or 0. The counts of the two addresses include executions that
 * arrived by other ways. So the count of one direction is the branch's count minus the count of the other address. */
static uint64_t preferred_direction(const struct translator *translator, uint64_t va, uint64_t next_va,
				    uint64_t target_va)
{
	const struct traces *traces = &translator->traces;
	uint32_t taken = exec_counts_get(&traces->exec_counts, target_va);
	uint32_t not_taken = exec_counts_get(&traces->exec_counts, next_va);
	uint32_t executions = exec_counts_get(&traces->branch_exec_counts, va);

	if (seed_is_set(translator))
		return seed_draw(translator, target_va ^ next_va, 2) ? target_va : next_va;
	if (not_taken <= executions)
		taken = executions - not_taken;
	else if (taken <= executions)
		not_taken = executions - taken;
	if (taken / PREFERRED_RATIO < not_taken && not_taken / PREFERRED_RATIO < taken)
		return 0;
	return taken > not_taken ? target_va : next_va;
}

/* Returns the address to which control usually goes after the last instruction, or 0. */
static uint64_t likely_target(const struct translator *translator, const struct block_ir *ir)
{
	const struct fragment_insn *last = &ir->insns[ir->n_insns - 1];
	uint64_t next_va = fragment_insn_next_va(last), target_va = fragment_insn_target_va(last);

	switch (last->insn.flow) {
	case FLOW_JUMP:
	case FLOW_CALL:
		return target_va;
	case FLOW_BRANCH:
		if (ir->effects[ir->n_insns - 1].condition >= CONDITION_COUNTER)
			return 0;
		return preferred_direction(translator, last->va, next_va, target_va);
	case FLOW_RETURN:
		target_va = return_va(ir);
		return target_va ? target_va : predictions_target(translator, last->va);
	case FLOW_JUMP_INDIRECT:
	case FLOW_CALL_INDIRECT:
		return predictions_target(translator, last->va);
	default:
		return 0;
	}
}

/* Returns true if the trace would lead into code that compares its bytes, or from other code into write-protected code.
 * While another thread has that page unprotected, a write by the trace itself does not fault, and the copy after the
 * write would be outdated. */
static bool enters_written_code(struct translator *translator, const struct block_ir *ir, uint64_t va)
{
	bool was_protected = pages_get(&translator->pages, ir->insns[ir->n_insns - 1].va)->is_protected;
	const struct code_page *page = pages_get(&translator->pages, va);

	return page->is_checked || (!was_protected && page->is_protected);
}

uint64_t trace_builder_next(struct translator *translator, struct block_ir *ir)
{
	uint64_t next_va;

	if ((!translator->traces.exec_counts.n_used && !seed_is_set(translator)) ||
	    ir->effects[ir->n_insns - 1].copy != COPY_TRANSFER || ir->n_insns == FRAGMENT_INSNS_MAX || !ir->is_trace)
		return 0;
	next_va = likely_target(translator, ir);
	if (!next_va || !exec_counts_is_hot(translator, next_va) || enters_written_code(translator, ir, next_va))
		return 0;
	if (trace_builder_may_take(ir, next_va))
		return next_va;
	cut_before_loop(ir, next_va);
	return 0;
}
