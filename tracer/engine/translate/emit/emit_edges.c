#include "engine/translate/emit/emit_edges.h"

#include "engine/translate/build/liveness.h"
#include "engine/translate/emit/emit_log.h"
#include "engine/translate/emit/encode.h"
#include "engine/translate/link/links.h"
#include "engine/translate/traces/exec_counts.h"

/* Adds 1 to a counter, before a transfer to va. */
static void emit_count_to(struct translator *translator, uint32_t counter, uint64_t va)
{
	struct zone *zone = translator->emitter.zone;

	if (!(liveness_flags_at(translator, va) & ~FLAG_CF)) {
		emit_area(zone, INCREMENT, counter_offset(counter));
		return;
	}
	if (!liveness_r11_in_register_at(translator, va, false)) {
		emit_increment_by_r11(zone, counter);
		return;
	}
	emit_area(zone, STORE_RCX, AREA_RCX);
	emit_increment_by_rcx(zone, counter);
	emit_area(zone, LOAD_RCX, AREA_RCX);
}

static void emit_last_exit(struct zone *zone, uint32_t counter)
{
	EMIT(zone, 0x65, 0xc7, 0x04, 0x25); /* mov dword gs:[disp32], imm32 */
	emit_32(zone, AREA_LAST_EXIT);
	emit_32(zone, counter);
}

void emit_edges_done(struct translator *translator, uint32_t fragment, size_t n_done)
{
	if (!translator->wants_edges)
		return;
	emit_state(translator, STATE_INTERNAL, n_done);
	emit_last_exit(translator->emitter.zone, translator_fragment(translator, fragment)->counter);
}

void emit_edges_side(struct translator *translator, uint32_t counter)
{
	if (translator->wants_edges && translator_counter(translator, counter)->kind == COUNTER_SIDE_EXIT)
		emit_last_exit(translator->emitter.zone, counter);
}

uint32_t emit_edges_plan_branch(struct translator *translator, const struct emission *emission)
{
	const struct block_ir *ir = emission->ir;
	int64_t displacement = ir->insns[ir->n_insns - 1].insn.displacement;
	struct fragment *from = translator_fragment(translator, emission->fragment);

	/* A branch to the next instruction transfers nothing. */
	if (!translator->wants_edges || displacement == 0)
		return COUNTER_NONE;
	from->branch_counter = emit_add_counter(translator, COUNTER_BRANCH, emission, ir->n_insns - 1);
	from->is_taken_counted = exec_counts_is_rarely_taken(translator, ir->end_va,
							     ir->end_va + (uint64_t)displacement);
	return from->is_taken_counted ? from->branch_counter : COUNTER_NONE;
}

void emit_edges_not_taken(struct translator *translator, const struct emission *emission)
{
	const struct fragment *from = translator_fragment(translator, emission->fragment);

	if (from->branch_counter != COUNTER_NONE && !from->is_taken_counted)
		emit_count_to(translator, from->branch_counter, emission->ir->end_va);
}

void emit_edges_taken(struct translator *translator, struct branch_fixup *branch)
{
	struct zone *zone = translator->emitter.zone;

	if (branch->counter == COUNTER_NONE)
		return;
	emit_begin_fragment(translator, branch->va);
	emit_state(translator, STATE_INTERNAL, 0);
	links_patch(translator, branch->patch_va, emit_va(zone));
	emit_count_to(translator, branch->counter, branch->va);
	emit_edges_side(translator, branch->counter);
	emit_log_side(translator, branch->head);
	emit_alignment(zone, 1);
	EMIT(zone, 0xe9);
	branch->patch_va = emit_rel32(zone);
}

uint32_t emit_edges_indirect(struct translator *translator, uint32_t from, uint32_t to)
{
	struct fragments *fragments = &translator->fragments;
	const struct counter *left;
	uint32_t counter;

	if (!translator->wants_edges)
		return COUNTER_NONE;
	left = translator_counter(translator, from);
	counter = fragments_add_counter(fragments, COUNTER_INDIRECT_EDGE, left->fragment,
					fragments_exit_insn(fragments, left));
	fragments->counters[counter].to = to;
	emit_count_to(translator, counter, translator_fragment(translator, to)->va);
	return counter;
}

/* In miss code R11 is free for use. */
void emit_edges_record(struct translator *translator, enum site_kind kind)
{
	struct zone *zone = translator->emitter.zone;

	if (!translator->wants_edges || kind == SITE_RECORDED)
		return;
	if (kind == SITE_RAX)
		emit_area(zone, STORE_RAX, AREA_TARGET);
	emit_area(zone, STORE_RCX, AREA_RCX);
	emit_area(zone, LOAD_RCX, AREA_EDGES_FREE);
	emit_area(zone, LOAD_R11, AREA_TARGET);
	EMIT(zone, 0x48, 0x8d, 0x49, (uint8_t) - sizeof(struct edge_record)); /* lea rcx, [rcx - 16] */
	EMIT(zone, 0x65, 0x4c, 0x89, 0x99);				      /* mov gs:[rcx + disp32], r11 */
	emit_32(zone, AREA_EDGES + offsetof(struct edge_record, target_va));
	emit_area(zone, LOAD_R11D, AREA_LAST_EXIT);
	EMIT(zone, 0x65, 0x4c, 0x89, 0x99); /* mov gs:[rcx + disp32], r11 */
	emit_32(zone, AREA_EDGES + offsetof(struct edge_record, from));
	emit_area(zone, STORE_RCX, AREA_EDGES_FREE);
	EMIT(zone, 0xe3, 0x1c); /* jrcxz to the last instruction */
	emit_area(zone, LOAD_RCX, AREA_RCX);
	EMIT(zone, 0x65, 0x44, 0x0f, 0xb7, 0x1c, 0x25); /* movzx r11d, word gs:[disp32] */
	emit_32(zone, AREA_TARGET);
	emit_table_jump(zone, translator->ibl.sites[SITE_RECORDED].first);
	emit_area(zone, LOAD_RCX, AREA_RCX);
}
