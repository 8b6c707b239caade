#include "engine/translate/emit/emit_indirect.h"

#include "base/array.h"
#include "engine/translate/emit/emit_address.h"
#include "engine/translate/emit/emit_edges.h"
#include "engine/translate/emit/emit_log.h"
#include "engine/translate/emit/encode.h"
#include "engine/translate/link/ibl.h"
#include "engine/translate/link/links.h"
#include "engine/translate/traces/predictions.h"

/* Returns true if the target of an indirect branch may read flags that are set before it:
 *
 * - by a comparison. Compilers hoist a comparison with which all targets of a jump begin (GCC, -fcode-hoisting).
 * Before a call or return, a comparison that no instruction reads would be useless.
 *
 * - by an addition with carry, if assembly jumps into the middle of a loop over words. Other flags are mostly left
 * over from the addition that looks up a jump table. To keep those would add a tenth of the native time to python3.
 */
static bool may_pass_flags(const struct block_ir *ir, size_t last)
{
	bool is_jump = ir->insns[last].insn.flow == FLOW_JUMP_INDIRECT;

	for (size_t i = last; i-- > 0;) {
		if (ir->effects[i].flags_read && !is_jump)
			return false;
		if (ir->effects[i].writes_only_flags || (ir->effects[i].is_multiword && is_jump))
			return true;
		if (ir->effects[i].flags_killed)
			return false;
	}
	return false;
}

/* Adds a site for an indirect branch that leaves the fragment by a counter. */
static uint32_t add_site(struct translator *translator, uint32_t counter, enum site_kind kind)
{
	uint32_t site = ibl_add_site(translator, kind);

	if (translator->wants_edges)
		translator_counter(translator, counter)->site = site;
	return site;
}

static enum site_kind choose_kind(const struct block_ir *ir, size_t i)
{
	return may_pass_flags(ir, i) ? SITE_FLAGS : SITE_ANY;
}

/* Jumps through the table. R11, which is free for use, holds the target. */
static void emit_lookup(struct zone *zone, uint32_t site)
{
	emit_area(zone, STORE_R11, AREA_TARGET);
	EMIT(zone, 0x45, 0x0f, 0xb7, 0xdb); /* movzx r11d, r11w */
	emit_table_jump(zone, site);
}

/* Falls through if the target in R11 is the expected one. */
static void emit_expect(struct translator *translator, const struct emission *emission, size_t i)
{
	uint32_t counter = emit_add_counter(translator, COUNTER_SIDE_EXIT, emission, i);
	uint64_t negative = -emission->ir->insns[i + 1].va;
	struct zone *zone = translator->emitter.zone;

	emit_area(zone, STORE_RCX, AREA_RCX);
	if ((int64_t)negative == (int32_t)negative) {
		EMIT(zone, 0x49, 0x8d, 0x8b); /* lea rcx, [r11 + disp32] */
		emit_32(zone, (uint32_t)negative);
	} else {
		EMIT(zone, 0x48, 0xb9); /* mov rcx, imm64 */
		emit_absolute(translator, zone, ABSOLUTE_NEGATIVE_VA, negative);
		EMIT(zone, 0x4a, 0x8d, 0x0c, 0x19); /* lea rcx, [rcx + r11] */
	}
	EMIT(zone, 0xe3, 0x05, 0xe9); /* jrcxz over the next one; jmp */
	*ARRAY_ADD(emission->fixups, mispredictions) = (struct misprediction_fixup){
		.patch_va = emit_rel32(zone),
		.counter = counter,
		.head = emit_log_plan_side(translator, emission->fragment, i),
		.site = add_site(translator, counter, choose_kind(emission->ir, i)),
	};
	emit_area(zone, LOAD_RCX, AREA_RCX);
}

void emit_misprediction(struct translator *translator, const struct misprediction_fixup *fixup)
{
	struct zone *zone = translator->emitter.zone;

	emit_begin_fragment(translator, 0);
	emit_state(translator, STATE_INTERNAL, 0);
	links_patch(translator, fixup->patch_va, emit_va(zone));
	emit_increment_by_rcx(zone, fixup->counter);
	emit_area(zone, LOAD_RCX, AREA_RCX);
	emit_edges_side(translator, fixup->counter);
	emit_log_side(translator, fixup->head);
	emit_lookup(zone, fixup->site);
}

/* Notes the last target of instruction i, which a register holds, if a later trace may follow it. */
static void emit_note_target(struct translator *translator, const struct emission *emission, size_t i,
			     enum area_access store)
{
	uint32_t counter;

	if (!predictions_want_target(translator, &emission->ir->insns[i]))
		return;
	counter = emit_add_counter(translator, COUNTER_LAST_TARGET, emission, i);
	emit_area(translator->emitter.zone, store, counter_offset(counter));
}

/* Transfers control to the target of instruction i, which R11 holds. R11 is free for use. */
static void emit_transfer(struct translator *translator, const struct emission *emission, size_t i)
{
	uint32_t fragment = emission->fragment, site;

	if (i + 1 < emission->ir->n_insns) {
		emit_expect(translator, emission, i);
		return;
	}
	site = add_site(translator, translator_fragment(translator, fragment)->counter, choose_kind(emission->ir, i));
	emit_log_end(translator, fragment, i);
	emit_edges_done(translator, fragment, i);
	emit_note_target(translator, emission, i, STORE_R11);
	emit_lookup(translator->emitter.zone, site);
}

static bool is_jump_to_rax(const struct insn *insn)
{
	static const uint8_t jump[] = {0xff, 0xe0}, no_track[] = {0x3e, 0xff, 0xe0};

	return (insn->length == sizeof(jump) && !memcmp(insn->bytes, jump, sizeof(jump))) ||
	       (insn->length == sizeof(no_track) && !memcmp(insn->bytes, no_track, sizeof(no_track)));
}

/* Instruction i ends the fragment and jumps to the address in RAX. The target stays in RAX. */
static void emit_jump_to_rax(struct translator *translator, const struct emission *emission, size_t i)
{
	uint32_t counter = translator_fragment(translator, emission->fragment)->counter;
	uint32_t site = add_site(translator, counter, SITE_RAX);
	struct zone *zone = translator->emitter.zone;

	emit_take_r11(translator, STATE_CLEAN, i);
	emit_log_pointer(translator, STATE_CLEAN, i);
	emit_state(translator, STATE_INTERNAL, i);
	emit_log_end(translator, emission->fragment, i);
	emit_edges_done(translator, emission->fragment, i);
	emit_note_target(translator, emission, i, STORE_RAX);
	EMIT(zone, 0x44, 0x0f, 0xb7, 0xd8); /* movzx r11d, ax */
	emit_table_jump(zone, site);
}

static void emit_return(struct translator *translator, const struct emission *emission, size_t i)
{
	struct zone *zone = translator->emitter.zone;

	EMIT(zone, 0x41, 0x5b); /* pop r11 */
	emit_take_r11(translator, STATE_INTERNAL, i);
	if (emission->ir->effects[i].return_pop_bytes) {
		EMIT(zone, 0x48, 0x8d, 0xa4, 0x24); /* lea rsp, [rsp + disp32] */
		emit_32(zone, emission->ir->effects[i].return_pop_bytes);
	}
	emit_transfer(translator, emission, i);
}

/* Loads the target of an indirect jump or call into R11. */
static void emit_load_target(struct translator *translator, const struct block_ir *ir, size_t i)
{
	uint8_t load[INSN_MAX_BYTES + 4], length, displacement_offset;
	const struct fragment_insn *insn = &ir->insns[i];
	struct zone *zone = translator->emitter.zone;

	if (emit_address(translator, ir, i)) {
		EMIT(zone, 0x4d, 0x8b, 0x1b); /* mov r11, [r11] */
	} else {
		length = insn_encode_target_load(&insn->insn, load, &displacement_offset);
		emit_relocated(zone, load, length, displacement_offset, fragment_insn_next_va(insn));
	}
}

void emit_indirect(struct translator *translator, const struct emission *emission, size_t i)
{
	const struct block_ir *ir = emission->ir;
	const struct fragment_insn *insn = &ir->insns[i];
	enum insn_flow flow = insn->insn.flow;

	emit_state(translator, STATE_CLEAN, i);
	if (i + 1 == ir->n_insns && is_jump_to_rax(&insn->insn) && !may_pass_flags(ir, i)) {
		emit_jump_to_rax(translator, emission, i);
		return;
	}
	if (ir->effects[i].reads_r11 && flow != FLOW_RETURN)
		emit_restore_r11(translator);
	emit_save_r11(translator);
	emit_state(translator, STATE_CLEAN, i);
	if (flow == FLOW_RETURN) {
		emit_return(translator, emission, i);
		return;
	}
	emit_load_target(translator, ir, i);
	emit_take_r11(translator, STATE_CLEAN, i);
	emit_log_pointer(translator, STATE_CLEAN, i);
	emit_state(translator, STATE_CLEAN, i);
	if (flow == FLOW_CALL_INDIRECT)
		emit_push_va(translator, emission->fixups, fragment_insn_next_va(insn));
	emit_state(translator, STATE_INTERNAL, i);
	emit_transfer(translator, emission, i);
}

/* Loads va into R11. n_bytes: length of the code between this and a rel32 that can be replaced. */
static void emit_load_va(struct translator *translator, uint64_t va, size_t n_bytes)
{
	struct zone *zone = translator->emitter.zone;

	if (cache_serves(zone, va)) {
		emit_alignment(zone, 7 + n_bytes);
		EMIT(zone, 0x4c, 0x8d, 0x1d); /* lea r11, [rip + disp32] */
		emit_relative(zone, va);
	} else {
		emit_alignment(zone, 10 + n_bytes);
		EMIT(zone, 0x49, 0xbb); /* mov r11, imm64 */
		emit_absolute(translator, zone, ABSOLUTE_PROGRAM_VA, va);
	}
}

/* Compares the target with va and overwrites the flags. Returns as emit_ibl_target. */
static uint64_t emit_compare(struct translator *translator, uint64_t va, enum site_kind kind)
{
	struct zone *zone = translator->emitter.zone;

	if (kind == SITE_RAX && va <= INT32_MAX) {
		emit_alignment(zone, 8);
		EMIT(zone, 0x48, 0x3d); /* cmp rax, imm32 */
		emit_32(zone, (uint32_t)va);
	} else {
		emit_load_va(translator, va, kind == SITE_RAX ? 5 : 11);
		if (kind == SITE_RAX)
			EMIT(zone, 0x4c, 0x39, 0xd8); /* cmp rax, r11 */
		else
			emit_area(zone, COMPARE_R11, AREA_TARGET);
	}
	EMIT(zone, 0x0f, 0x85); /* jne */
	return emit_rel32(zone);
}

/* Compares the target with va and keeps the flags. Returns as emit_ibl_target. */
static uint64_t emit_compare_flagless(struct translator *translator, uint64_t va, enum site_kind kind)
{
	struct zone *zone = translator->emitter.zone;
	uint64_t patch_va;

	emit_area(zone, STORE_RCX, AREA_RCX);
	if (kind != SITE_RAX)
		emit_area(zone, LOAD_RCX, AREA_TARGET);
	EMIT(zone, 0x49, 0xbb); /* mov r11, imm64 */
	emit_absolute(translator, zone, ABSOLUTE_NEGATIVE_VA, -va);
	EMIT(zone, 0x4a, 0x8d, 0x0c, kind == SITE_RAX ? 0x18 : 0x19); /* lea rcx, [rax or rcx + r11] */
	emit_alignment(zone, 12);
	EMIT(zone, 0xe3, 0x0e); /* jrcxz over the next two */
	emit_area(zone, LOAD_RCX, AREA_RCX);
	EMIT(zone, 0xe9); /* jmp */
	patch_va = emit_rel32(zone);
	emit_area(zone, LOAD_RCX, AREA_RCX);
	return patch_va;
}

uint64_t emit_ibl_target(struct translator *translator, uint64_t va, uint32_t site, bool keeps_flags)
{
	enum site_kind kind = ibl_site_kind(&translator->ibl, site);
	struct emitter *emitter = &translator->emitter;

	emit_begin_fragment(translator, va);
	emitter->r11_in_register = emitter->r11_was_used = false;
	emitter->r11_in_area = true;
	emit_state(translator, STATE_INTERNAL, 0);
	return (keeps_flags ? emit_compare_flagless : emit_compare)(translator, va, kind);
}

void emit_ibl_misses(struct translator *translator)
{
	emit_begin_fragment(translator, 0);
	emit_plain_state(translator);
	for (enum site_kind kind = 0; kind < N_SITE_KINDS; kind++) {
		translator->ibl.miss_va[kind] = emit_va(translator->emitter.zone);
		emit_edges_record(translator, kind);
		emit_exit_stub(translator, (struct exit_stub){.kind = EXIT_INDIRECT,
							      .va = translator->wants_edges ? SITE_RECORDED : kind,
							      .r11_in_area = true});
	}
	ibl_fill_table(translator);
}
