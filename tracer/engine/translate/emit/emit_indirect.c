/* Indirect transfers: by way of the table to landings, or, in a trace, on to where they are expected to lead. */
#include "base/array.h"
#include "engine/translate/contexts/edges.h"
#include "engine/translate/emit/encode.h"
#include "engine/translate/emit/emit_block.h"
#include "engine/translate/log/log.h"

/* Whether flags may be looked at where an indirect transfer leads. Those of a comparison: compilers move one that stands at the begin of all
 * targets to before a jump (GCC, -fcode-hoisting), and before calls and returns it would be for nothing if nobody looked. And carries, where
 * assembly jumps into the middle of a loop over words. Not those of any instruction: mostly that is the addition by which a table is looked up, and
 * python3 would take 0.1 times native more. */
static bool may_pass_flags(const struct draft *draft, size_t last)
{
	bool is_jump = draft->insns[last].insn.flow == FLOW_JUMP_INDIRECT;

	for (size_t i = last; i-- > 0;) {
		if (draft->effects[i].flags_read && !is_jump)
			return false;
		if (draft->effects[i].only_compares || (draft->effects[i].carries_on && is_jump))
			return true;
		if (draft->effects[i].flags_killed)
			return false;
	}
	return false;
}

/* A place in the table for an indirect transfer by which a block is left, with that counter. */
static uint32_t plan_site(struct translator *translator, uint32_t counter, enum site_kind kind)
{
	uint32_t site = add_site(translator, kind);

	if (translator->wants_edges)
		translator->counters[counter].site = site;
	return site;
}

static enum site_kind choose_kind(const struct draft *draft, size_t i)
{
	return may_pass_flags(draft, i) ? SITE_FLAGS : SITE_ANY;
}

/* R11 is ours and holds the target. */
static void emit_jump(struct zone *zone, uint32_t site)
{
	emit_area(zone, STORE_R11, AREA_TARGET);
	EMIT(zone, 0x45, 0x0f, 0xb7, 0xdb);	  /* movzx r11d, r11w */
	EMIT(zone, 0x65, 0x42, 0xff, 0x24, 0xdd); /* jmp gs:[r11 * 8 + disp32] */
	emit_32(zone, AREA_TABLE + site * 8);
}

/* Goes on right behind if the target in R11, which is ours, is the expected one. */
static void emit_expect(struct translator *translator, uint32_t block, struct chain *chain, const struct draft *draft,
			size_t i)
{
	uint32_t counter = add_counter(translator, COUNTER_SIDE, block, i);
	uint64_t negative = -draft->insns[i + 1].va;
	struct zone *zone = translator->zone;

	emit_area(zone, STORE_RCX, AREA_RCX);
	if ((int64_t)negative == (int32_t)negative) {
		EMIT(zone, 0x49, 0x8d, 0x8b); /* lea rcx, [r11 + disp32] */
		emit_32(zone, (uint32_t)negative);
	} else {
		EMIT(zone, 0x48, 0xb9); /* mov rcx, imm64 */
		emit_64(zone, negative);
		EMIT(zone, 0x4a, 0x8d, 0x0c, 0x19); /* lea rcx, [rcx + r11] */
	}
	EMIT(zone, 0xe3, 0x05, 0xe9); /* jrcxz over the next one; jmp */
	*ARRAY_ADD(chain, misses) = (struct chain_miss){.patch_va = emit_va(zone),
							.counter = counter,
							.head = log_plan_side(translator, block, i),
							.site = plan_site(translator, counter, choose_kind(draft, i))};
	emit_32(zone, 0);
	emit_area(zone, LOAD_RCX, AREA_RCX);
}

void emit_miss(struct translator *translator, const struct chain_miss *miss)
{
	struct zone *zone = translator->zone;

	add_block(translator, 0);
	mark(translator, POINT_FORWARD, 0);
	link_branch(translator, miss->patch_va, emit_va(zone));
	emit_area(zone, LOAD_RCX, counter_offset(miss->counter));
	EMIT(zone, 0x48, 0x8d, 0x49, 0x01); /* lea rcx, [rcx + 1] */
	emit_area(zone, STORE_RCX, counter_offset(miss->counter));
	emit_area(zone, LOAD_RCX, AREA_RCX);
	edges_emit_side(translator, miss->counter);
	log_emit_side(translator, miss->head);
	emit_jump(zone, miss->site);
}

/* R11 is ours and holds the target of instruction i. */
static void emit_go(struct translator *translator, uint32_t block, struct chain *chain, const struct draft *draft,
		    size_t i)
{
	uint32_t site;

	if (i + 1 < draft->n_insns) {
		emit_expect(translator, block, chain, draft, i);
		return;
	}
	site = plan_site(translator, translator->blocks[block].counter, choose_kind(draft, i));
	log_emit_end(translator, block, i);
	edges_emit_done(translator, block, i);
	if (traces_want_target(translator, &draft->insns[i]))
		emit_area(translator->zone, STORE_R11,
			  counter_offset(add_counter(translator, COUNTER_TARGET, block, i)));
	emit_jump(translator->zone, site);
}

static bool is_jump_to_rax(const struct insn *insn)
{
	static const uint8_t jump[] = {0xff, 0xe0}, no_track[] = {0x3e, 0xff, 0xe0};

	return (insn->length == sizeof(jump) && !memcmp(insn->bytes, jump, sizeof(jump))) ||
	       (insn->length == sizeof(no_track) && !memcmp(insn->bytes, no_track, sizeof(no_track)));
}

/* The last instruction of a block jumps to where RAX points, which stays there. */
static void emit_go_rax(struct translator *translator, uint32_t block, const struct draft *draft, size_t i)
{
	uint32_t site = plan_site(translator, translator->blocks[block].counter, SITE_RAX);
	struct zone *zone = translator->zone;

	take_r11(translator, POINT_CLEAN, i);
	log_emit_stolen(translator, POINT_CLEAN, i);
	mark(translator, POINT_FORWARD, i);
	log_emit_end(translator, block, i);
	edges_emit_done(translator, block, i);
	if (traces_want_target(translator, &draft->insns[i]))
		emit_area(zone, STORE_RAX, counter_offset(add_counter(translator, COUNTER_TARGET, block, i)));
	EMIT(zone, 0x44, 0x0f, 0xb7, 0xd8);	  /* movzx r11d, ax */
	EMIT(zone, 0x65, 0x42, 0xff, 0x24, 0xdd); /* jmp gs:[r11 * 8 + disp32] */
	emit_32(zone, AREA_TABLE + site * 8);
}

void emit_indirect(struct translator *translator, uint32_t block, struct chain *chain, const struct draft *draft,
		   size_t i)
{
	const struct block_insn *insn = &draft->insns[i];
	struct zone *zone = translator->zone;
	uint8_t load[INSN_MAX_BYTES + 4], length, displacement_offset;

	mark(translator, POINT_CLEAN, i);
	if (i + 1 == draft->n_insns && is_jump_to_rax(&insn->insn) && !may_pass_flags(draft, i)) {
		emit_go_rax(translator, block, draft, i);
		return;
	}
	if (draft->effects[i].reads_r11 && insn->insn.flow != FLOW_RETURN)
		fetch_r11(translator);
	save_r11(translator);
	mark(translator, POINT_CLEAN, i);
	if (insn->insn.flow == FLOW_RETURN) {
		EMIT(zone, 0x41, 0x5b); /* pop r11 */
		take_r11(translator, POINT_FORWARD, i);
		if (draft->effects[i].return_pops) {
			EMIT(zone, 0x48, 0x8d, 0xa4, 0x24); /* lea rsp, [rsp + disp32] */
			emit_32(zone, draft->effects[i].return_pops);
		}
		emit_go(translator, block, chain, draft, i);
		return;
	}
	if (emit_far_address(translator, draft, i)) {
		EMIT(zone, 0x4d, 0x8b, 0x1b); /* mov r11, [r11] */
	} else {
		length = insn_load_target(&insn->insn, load, &displacement_offset);
		emit_moved(zone, load, length, displacement_offset, insn->va + insn->insn.length);
	}
	take_r11(translator, POINT_CLEAN, i);
	log_emit_stolen(translator, POINT_CLEAN, i);
	mark(translator, POINT_CLEAN, i);
	if (insn->insn.flow == FLOW_CALL_INDIRECT)
		emit_push_va(translator, chain, insn->va + insn->insn.length);
	mark(translator, POINT_FORWARD, i);
	emit_go(translator, block, chain, draft, i);
}

/* Compares the target with va, overwriting flags. Returns the rel32 that leads on where they differ. */
static uint64_t emit_compare(struct zone *zone, uint64_t va, enum site_kind kind)
{
	uint64_t patch_va;

	if (kind == SITE_RAX && va <= INT32_MAX) {
		emit_alignment(zone, 8);
		EMIT(zone, 0x48, 0x3d); /* cmp rax, imm32 */
		emit_32(zone, (uint32_t)va);
	} else {
		emit_alignment(zone, kind == SITE_RAX ? 12 : 18);
		EMIT(zone, 0x4c, 0x8d, 0x1d); /* lea r11, [rip + disp32] */
		emit_relative(zone, va);
		if (kind == SITE_RAX)
			EMIT(zone, 0x4c, 0x39, 0xd8); /* cmp rax, r11 */
		else
			emit_area(zone, COMPARE_R11, AREA_TARGET);
	}
	EMIT(zone, 0x0f, 0x85); /* jne */
	patch_va = emit_va(zone);
	emit_32(zone, 0);
	return patch_va;
}

uint64_t emit_landing(struct translator *translator, uint64_t va, uint32_t site, bool keeps_flags)
{
	struct block *block = add_block(translator, va);
	enum site_kind kind = site_kind(translator, site);
	struct zone *zone = translator->zone;
	uint64_t patch_va;

	block->end_va = va;
	translator->r11_is_home = translator->r11_was_used = false;
	translator->r11_is_saved = true;
	mark(translator, POINT_FORWARD, 0);
	if (!keeps_flags)
		return emit_compare(zone, va, kind);
	emit_area(zone, STORE_RCX, AREA_RCX);
	if (kind != SITE_RAX)
		emit_area(zone, LOAD_RCX, AREA_TARGET);
	EMIT(zone, 0x49, 0xbb); /* mov r11, imm64 */
	emit_64(zone, -va);
	EMIT(zone, 0x4a, 0x8d, 0x0c, kind == SITE_RAX ? 0x18 : 0x19); /* lea rcx, [rax or rcx + r11] */
	emit_alignment(zone, 12);
	EMIT(zone, 0xe3, 0x0e); /* jrcxz over the next two */
	emit_area(zone, LOAD_RCX, AREA_RCX);
	EMIT(zone, 0xe9); /* jmp */
	patch_va = emit_va(zone);
	emit_32(zone, 0);
	emit_area(zone, LOAD_RCX, AREA_RCX);
	return patch_va;
}
