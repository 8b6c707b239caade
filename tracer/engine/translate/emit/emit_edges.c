#include <assert.h>

#include "engine/translate/contexts/edges.h"
#include "engine/translate/emit/encode.h"
#include "engine/translate/log/log.h"

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

static void emit_from(struct zone *zone, uint32_t counter)
{
	EMIT(zone, 0x65, 0xc7, 0x04, 0x25); /* mov dword gs:[disp32], imm32 */
	emit_32(zone, AREA_FROM);
	emit_32(zone, counter);
}

void edges_emit_done(struct translator *translator, uint32_t block, size_t n_done)
{
	if (!translator->wants_edges)
		return;
	mark(translator, POINT_FORWARD, n_done);
	emit_from(translator->zone, translator->blocks[block].counter);
}

void edges_emit_side(struct translator *translator, uint32_t counter)
{
	if (translator->wants_edges && translator->counters[counter].kind == COUNTER_SIDE)
		emit_from(translator->zone, counter);
}

uint32_t edges_plan_arm(struct translator *translator, uint32_t block, const struct draft *draft)
{
	const struct insn *last = &draft->insns[draft->n_insns - 1].insn;
	struct block *from = &translator->blocks[block];

	/* To what lies behind it is no transfer. */
	if (!translator->wants_edges || last->displacement == 0)
		return COUNTER_NONE;
	from->arm = add_counter(translator, COUNTER_ARM, block, draft->n_insns - 1);
	from->is_taken_counted = traces_hardly_take(translator, draft->end_va,
						    draft->end_va + (uint64_t)last->displacement);
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
	edges_emit_side(translator, branch->counter);
	log_emit_side(translator, branch->head);
	emit_alignment(zone, 1);
	EMIT(zone, 0xe9);
	branch->patch_va = emit_va(zone);
	emit_32(zone, 0);
}

uint32_t edges_emit_landed(struct translator *translator, uint32_t from, uint32_t to)
{
	const struct counter *left;
	uint32_t counter;
	size_t insn;

	if (!translator->wants_edges)
		return COUNTER_NONE;
	left = &translator->counters[from];
	insn = left->kind == COUNTER_SIDE ? left->insn : translator->blocks[left->block].n_insns - 1;
	counter = add_counter(translator, COUNTER_LANDED, left->block, insn);
	translator->counters[counter].to = to;
	emit_count_to(translator, counter, translator->blocks[to].va);
	return counter;
}

/* All is in the midst of our own work, and R11 is ours. */
void edges_emit_record(struct translator *translator, enum site_kind kind)
{
	struct zone *zone = translator->zone;

	if (!translator->wants_edges || kind == SITE_RECORDED)
		return;
	if (kind == SITE_RAX)
		emit_area(zone, STORE_RAX, AREA_TARGET);
	emit_area(zone, STORE_RCX, AREA_RCX);
	emit_area(zone, LOAD_RCX, AREA_RECORD);
	emit_area(zone, LOAD_R11, AREA_TARGET);
	EMIT(zone, 0x48, 0x8d, 0x49, (uint8_t) - sizeof(struct record)); /* lea rcx, [rcx - 16] */
	EMIT(zone, 0x65, 0x4c, 0x89, 0x99);				 /* mov gs:[rcx + disp32], r11 */
	emit_32(zone, AREA_RECORDS + offsetof(struct record, target_va));
	emit_area(zone, LOAD_R11D, AREA_FROM);
	EMIT(zone, 0x65, 0x4c, 0x89, 0x99); /* mov gs:[rcx + disp32], r11 */
	emit_32(zone, AREA_RECORDS + offsetof(struct record, from));
	emit_area(zone, STORE_RCX, AREA_RECORD);
	EMIT(zone, 0xe3, 0x1c); /* jrcxz to behind it */
	emit_area(zone, LOAD_RCX, AREA_RCX);
	EMIT(zone, 0x65, 0x44, 0x0f, 0xb7, 0x1c, 0x25); /* movzx r11d, word gs:[disp32] */
	emit_32(zone, AREA_TARGET);
	EMIT(zone, 0x65, 0x42, 0xff, 0x24, 0xdd); /* jmp gs:[r11 * 8 + disp32] */
	emit_32(zone, AREA_TABLE + translator->sites[SITE_RECORDED].first * 8);
	emit_area(zone, LOAD_RCX, AREA_RCX);
}
