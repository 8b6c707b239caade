#include "engine/translate/translator.h"

enum {
	DEPTH_MAX = 3, /* branches looked behind */
	INSNS_MAX = 24,
	INSNS_R11_MAX = 48,  /* on all ways together, ... */
	INSNS_R11_COLD = 12, /* ... before traces are made */
};

static uint16_t live_at(struct translator *translator, uint64_t va, int depth);

/* The flags that are live after an instruction that does not simply go on. */
static uint16_t live_after_transfer(struct translator *translator, const struct insn *insn,
				    const struct insn_effects *effects, uint64_t next_va, int depth)
{
	uint64_t target_va = next_va + (uint64_t)insn->displacement;

	if (effects->copy != COPY_TRANSFER || depth >= DEPTH_MAX)
		return FLAGS_ALL;
	switch (insn->flow) {
	case FLOW_JUMP:
	case FLOW_CALL:
		return live_at(translator, target_va, depth + 1);
	case FLOW_BRANCH:
		return live_at(translator, target_va, depth + 1) | live_at(translator, next_va, depth + 1);
	default:
		return FLAGS_ALL;
	}
}

static uint16_t live_at(struct translator *translator, uint64_t va, int depth)
{
	const struct process *process = translator->engine->process;
	const struct address *known = addresses_find(&translator->addresses, va);
	uint16_t live = 0, killed = 0;
	uint64_t start_va = va;
	struct address *noted;

	if (known && known->flags_live != FLAGS_UNKNOWN && known->flags_depth <= depth)
		return known->flags_live;
	for (int i = 0;; i++) {
		const struct insn_known *found = i == INSNS_MAX ? NULL
								: pages_look_ahead(&translator->pages, process, va);

		if (!found || found->effects.copy == COPY_NEVER || found->effects.copy == COPY_SYSCALL) {
			live |= FLAGS_ALL & ~killed;
			break;
		}
		live |= found->effects.flags_read & ~killed;
		killed |= found->effects.flags_killed;
		if (((live | killed) & FLAGS_ALL) == FLAGS_ALL)
			break;
		va += found->insn.length;
		if (found->insn.flow != FLOW_NEXT) {
			live |= live_after_transfer(translator, &found->insn, &found->effects, va, depth) & ~killed;
			break;
		}
	}
	/* Deeper down less is looked at: that is not good enough for who asks from further up. */
	noted = addresses_at(&translator->addresses, start_va);
	noted->flags_live = live;
	noted->flags_depth = (uint8_t)depth;
	return live;
}

/* Whether R11 is certain to be read before it is overwritten, on some way from va. */
static bool r11_is_live_at(struct translator *translator, uint64_t va, int depth, int *n_left)
{
	const struct process *process = translator->engine->process;

	while ((*n_left)-- > 0) {
		const struct insn_known *found = pages_read_insn(&translator->pages, process, va);
		enum insn_flow flow;
		uint64_t target_va;

		if (!found || found->effects.copy == COPY_NEVER || found->effects.copy == COPY_SYSCALL)
			return false;
		if (found->effects.reads_r11 || found->effects.writes_r11)
			return found->effects.reads_r11;
		flow = found->insn.flow;
		va += found->insn.length;
		target_va = va + (uint64_t)found->insn.displacement;
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

bool r11_is_home_at(struct translator *translator, uint64_t va, bool was_used)
{
	struct address *address = addresses_at(&translator->addresses, va);
	int n_left = translator->heats.n_used ? INSNS_R11_MAX : INSNS_R11_COLD;

	if (address->r11 == R11_UNDECIDED)
		address->r11 = was_used && r11_is_live_at(translator, va, 0, &n_left) ? R11_IN_REGISTER : R11_IN_AREA;
	return address->r11 == R11_IN_REGISTER;
}

bool flags_are_read_at(struct translator *translator, uint64_t va)
{
	uint16_t killed = 0;

	for (int i = 0; i < INSNS_MAX; i++) {
		const struct insn_known *found = pages_decode(&translator->pages, translator->engine->process, va);

		if (!found)
			return false;
		if (found->effects.flags_read & ~killed)
			return true;
		killed |= found->effects.flags_killed;
		va += found->insn.length;
		if (found->insn.flow == FLOW_JUMP)
			va += (uint64_t)found->insn.displacement;
		else if (found->insn.flow != FLOW_NEXT || (killed & FLAGS_ALL) == FLAGS_ALL)
			return false;
	}
	return false;
}

uint16_t flags_live_at(struct translator *translator, uint64_t va)
{
	return live_at(translator, va, 0);
}

void draft_find_live_flags(struct translator *translator, struct draft *draft)
{
	const struct block_insn *last = &draft->insns[draft->n_insns - 1];
	const struct insn_effects *effects = &draft->effects[draft->n_insns - 1];
	uint16_t live;

	if (effects->copy == COPY_SYSCALL)
		live = FLAGS_ALL;
	else if (last->insn.flow == FLOW_NEXT)
		live = flags_live_at(translator, draft->end_va);
	else
		live = live_after_transfer(translator, &last->insn, effects, last->va + last->insn.length, 0);
	for (size_t i = draft->n_insns; i-- > 0;) {
		if (i + 1 < draft->n_insns && draft->insns[i].insn.flow == FLOW_BRANCH)
			live |= flags_live_at(translator, draft_side(draft, i));
		/* It may not lead where it is expected to. */
		if (flow_is_indirect(draft->insns[i].insn.flow))
			live = FLAGS_ALL;
		live = (uint16_t)((live & ~draft->effects[i].flags_killed) | draft->effects[i].flags_read);
		draft->flags_live[i] = live;
	}
}
