#include <assert.h>

#include "engine/translate/edges.h"
#include "engine/translate/emit.h"
#include "engine/translate/log.h"

/* Adds one to a counter on the way to va. */
static void emit_count_to(struct translator *translator, uint32_t counter, uint64_t va)
{
	struct zone *zone = translator->zone;

	if (!(flags_live_at(translator, va) & ~FLAG_CF)) {
		emit_area(zone, INCREMENT, counter_offset(counter));
		return;
	}
	if (!r11_is_home_at(translator, va, false)) {
		emit_area(zone, LOAD_R11, counter_offset(counter));
		EMIT(zone, 0x4d, 0x8d, 0x5b, 0x01); /* lea r11, [r11 + 1] */
		emit_area(zone, STORE_R11, counter_offset(counter));
		return;
	}
	emit_area(zone, STORE_RCX, AREA_RCX);
	emit_area(zone, LOAD_RCX, counter_offset(counter));
	EMIT(zone, 0x48, 0x8d, 0x49, 0x01); /* lea rcx, [rcx + 1] */
	emit_area(zone, STORE_RCX, counter_offset(counter));
	emit_area(zone, LOAD_RCX, AREA_RCX);
}

void edges_emit_done(struct translator *translator, uint32_t block, size_t n_done)
{
	struct zone *zone = translator->zone;

	if (!translator->wants_edges)
		return;
	mark(translator, POINT_FORWARD, n_done);
	EMIT(zone, 0x65, 0xc7, 0x04, 0x25); /* mov dword gs:[disp32], imm32 */
	emit_32(zone, AREA_FROM);
	emit_32(zone, block);
}

uint32_t edges_plan_direct(struct translator *translator, uint32_t block, const struct draft *draft)
{
	const struct insn *last = &draft->insns[draft->n_insns - 1].insn;
	struct block *from = &translator->blocks[block];

	/* To what lies behind it is no transfer. */
	if (!translator->wants_edges || last->displacement == 0)
		return COUNTER_NONE;
	from->arm = add_counter(translator, COUNTER_ARM, block, 0);
	from->target_va = draft->end_va + (uint64_t)last->displacement;
	from->is_taken_counted = last->flow == FLOW_BRANCH && last->displacement > 0;
	return from->is_taken_counted ? from->arm : COUNTER_NONE;
}

void edges_emit_not_taken(struct translator *translator, uint32_t block, const struct draft *draft)
{
	const struct block *from = &translator->blocks[block];

	if (from->arm != COUNTER_NONE && !from->is_taken_counted)
		emit_count_to(translator, from->arm, draft->end_va);
}

void edges_emit_taken(struct translator *translator, struct chain_branch *branch)
{
	struct zone *zone = translator->zone;

	if (branch->counter == COUNTER_NONE)
		return;
	add_block(translator, branch->va);
	mark(translator, POINT_FORWARD, 0);
	link_branch(translator, branch->patch_va, emit_va(zone));
	emit_count_to(translator, branch->counter, branch->va);
	log_emit_side(translator, branch->head);
	emit_alignment(zone, 1);
	EMIT(zone, 0xe9);
	branch->patch_va = emit_va(zone);
	emit_32(zone, 0);
}

uint32_t edges_plan_site(struct translator *translator, uint32_t block)
{
	/* Odd, so that each site has another place; large, so that those of neighbours lie apart. */
	enum { SPREAD = 40503 };

	if (!translator->wants_edges)
		return 0;
	assert(translator->n_sites < SITES_MAX);
	translator->blocks[block].site = translator->n_sites++ * SPREAD % SITES_MAX;
	return translator->blocks[block].site;
}

uint32_t edges_emit_landed(struct translator *translator, uint32_t from, uint32_t to)
{
	uint32_t counter;

	if (!translator->wants_edges)
		return COUNTER_NONE;
	counter = add_counter(translator, COUNTER_LANDED, from, 0);
	translator->counters[counter].to = to;
	emit_count_to(translator, counter, translator->blocks[to].va);
	return counter;
}
