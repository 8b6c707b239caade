#include "engine/translate/build/liveness.h"

enum {
	DEPTH_MAX = 3, /* branches followed on one path */
	INSNS_MAX = 24,
	INSNS_R11_MAX = 48,  /* instructions examined on all paths together */
	INSNS_R11_COLD = 12, /* as INSNS_R11_MAX, before traces are made */
};

static uint16_t live_at(struct translator *translator, uint64_t va, int depth);

/* Flags live after an instruction that transfers control. */
static uint16_t live_after_transfer(struct translator *translator, const struct insn_known *known, uint64_t next_va,
				    int depth)
{
	uint64_t target_va = next_va + (uint64_t)known->insn.displacement;

	if (known->effects.copy != COPY_TRANSFER || depth >= DEPTH_MAX)
		return FLAGS_ALL;
	switch (known->insn.flow) {
	case FLOW_JUMP:
	case FLOW_CALL:
		return live_at(translator, target_va, depth + 1);
	case FLOW_BRANCH:
		return live_at(translator, target_va, depth + 1) | live_at(translator, next_va, depth + 1);
	default:
		return FLAGS_ALL;
	}
}

static bool ends_analysis(const struct insn_known *known)
{
	return !known || known->effects.copy == COPY_NEVER || known->effects.copy == COPY_SYSCALL;
}

static uint16_t live_at(struct translator *translator, uint64_t va, int depth)
{
	const struct address *noted = addresses_find(&translator->addresses, va);
	uint16_t live = 0, killed = 0;
	uint64_t start_va = va;
	struct address *address;

	if (noted && noted->flags_live != FLAGS_UNKNOWN && noted->flags_depth <= depth)
		return noted->flags_live;
	for (int i = 0;; i++) {
		const struct insn_known *known = i == INSNS_MAX ? NULL : pages_peek_insn(&translator->pages, va);

		if (ends_analysis(known)) {
			live |= FLAGS_ALL & ~killed;
			break;
		}
		live |= known->effects.flags_read & ~killed;
		killed |= known->effects.flags_killed;
		if (((live | killed) & FLAGS_ALL) == FLAGS_ALL)
			break;
		va += known->insn.length;
		if (known->insn.flow != FLOW_NEXT) {
			live |= live_after_transfer(translator, known, va, depth) & ~killed;
			break;
		}
	}
	address = addresses_at(&translator->addresses, start_va);
	address->flags_live = live;
	address->flags_depth = (uint8_t)depth;
	return live;
}

/* Returns true if some path from va certainly reads R11 before the path overwrites it. */
static bool r11_is_live_at(struct translator *translator, uint64_t va, int depth, int *n_left)
{
	while ((*n_left)-- > 0) {
		const struct insn_known *known = pages_read_insn(&translator->pages, va);
		enum insn_flow flow;
		uint64_t target_va;

		if (ends_analysis(known))
			return false;
		if (known->effects.reads_r11 || known->effects.writes_r11)
			return known->effects.reads_r11;
		flow = known->insn.flow;
		va += known->insn.length;
		target_va = va + (uint64_t)known->insn.displacement;
		if (flow == FLOW_BRANCH && depth < DEPTH_MAX &&
		    r11_is_live_at(translator, target_va, depth + 1, n_left))
			return true;
		if (flow == FLOW_JUMP)
			va = target_va;
		else if (flow != FLOW_NEXT && flow != FLOW_BRANCH)
			return false;
	}
	return false;
}

bool liveness_r11_in_register_at(struct translator *translator, uint64_t va, bool was_used)
{
	struct address *address = addresses_at(&translator->addresses, va);
	int n_left = translator->traces.exec_counts.n_used ? INSNS_R11_MAX : INSNS_R11_COLD;

	if (address->r11 == R11_UNDECIDED)
		address->r11 = was_used && r11_is_live_at(translator, va, 0, &n_left) ? R11_IN_REGISTER : R11_IN_AREA;
	return address->r11 == R11_IN_REGISTER;
}

bool liveness_flags_are_read_at(struct translator *translator, uint64_t va)
{
	uint16_t killed = 0;

	for (int i = 0; i < INSNS_MAX; i++) {
		const struct insn_known *known = pages_decode(&translator->pages, va);

		if (!known)
			return false;
		if (known->effects.flags_read & ~killed)
			return true;
		killed |= known->effects.flags_killed;
		va += known->insn.length;
		if (known->insn.flow == FLOW_JUMP)
			va += (uint64_t)known->insn.displacement;
		else if (known->insn.flow != FLOW_NEXT || (killed & FLAGS_ALL) == FLAGS_ALL)
			return false;
	}
	return false;
}

uint16_t liveness_flags_at(struct translator *translator, uint64_t va)
{
	return live_at(translator, va, 0);
}

static uint16_t live_after(struct translator *translator, const struct block_ir *ir)
{
	const struct insn_known last = {.insn = ir->insns[ir->n_insns - 1].insn,
					.effects = ir->effects[ir->n_insns - 1]};

	if (last.effects.copy == COPY_SYSCALL)
		return FLAGS_ALL;
	if (last.insn.flow == FLOW_NEXT)
		return liveness_flags_at(translator, ir->end_va);
	return live_after_transfer(translator, &last, ir->end_va, 0);
}

void liveness_find_flags(struct translator *translator, struct block_ir *ir)
{
	uint16_t live = live_after(translator, ir);

	for (size_t i = ir->n_insns; i-- > 0;) {
		if (i + 1 < ir->n_insns && ir->insns[i].insn.flow == FLOW_BRANCH)
			live |= liveness_flags_at(translator, block_ir_side_va(ir, i));
		/* The target may differ from the expected one. */
		if (flow_is_indirect(ir->insns[i].insn.flow))
			live = FLAGS_ALL;
		live = (uint16_t)((live & ~ir->effects[i].flags_killed) | ir->effects[i].flags_read);
		ir->flags_live[i] = live;
	}
}
