#include "engine/translate/emit/emit_fragment.h"

#include "base/array.h"
#include "engine/translate/consistency/suspend.h"
#include "engine/translate/emit/emit_address.h"
#include "engine/translate/emit/emit_check.h"
#include "engine/translate/emit/emit_edges.h"
#include "engine/translate/emit/emit_indirect.h"
#include "engine/translate/emit/emit_log.h"
#include "engine/translate/emit/encode.h"

/* Adds 1 to the fragment's counter. */
static void emit_count(struct translator *translator, struct fragment *fragment, size_t insn, bool flags_are_dead)
{
	struct zone *zone = translator->emitter.zone;

	emit_state(translator, STATE_CLEAN, insn);
	if (flags_are_dead) {
		emit_area(zone, INCREMENT, counter_offset(fragment->counter));
		fragment->counted_va = emit_va(zone);
		return;
	}
	emit_take_r11(translator, STATE_INTERNAL, insn);
	emit_increment_by_r11(zone, fragment->counter);
	fragment->counted_va = emit_va(zone);
}

/* Adds RCX to a counter and keeps the flags. */
static void emit_sum_rcx(struct translator *translator, uint32_t counter, size_t insn)
{
	struct zone *zone = translator->emitter.zone;

	emit_take_r11(translator, STATE_INTERNAL, insn);
	emit_area(zone, LOAD_R11, counter_offset(counter));
	EMIT(zone, 0x4d, 0x8d, 0x1c, 0x0b); /* lea r11, [r11 + rcx] */
	emit_area(zone, STORE_R11, counter_offset(counter));
}

static void emit_copy(struct translator *translator, const struct emission *emission, size_t i)
{
	const struct insn_effects *effects = &emission->ir->effects[i];
	const struct insn *insn = &emission->ir->insns[i].insn;
	struct emitter *emitter = &translator->emitter;
	uint8_t reg = emit_address_register(effects), changed[INSN_MAX_BYTES];

	emit_state(translator, STATE_CLEAN, i);
	if (effects->reads_r11 && !emitter->r11_in_register) {
		emit_restore_r11(translator);
		emit_state(translator, STATE_CLEAN, i);
	}
	if (insn->rep_count_bits) {
		emit_sum_rcx(translator, emit_add_counter(translator, COUNTER_REP, emission, i), i);
		emit_state(translator, STATE_REP, i);
	}
	if (emit_address(translator, emission->ir, i)) {
		emit_bytes(emitter->zone, changed, insn_encode_with_base(insn, reg, changed));
		if (reg == INSN_RCX) {
			emit_state(translator, STATE_INTERNAL, i + 1);
			emit_area(emitter->zone, LOAD_RCX, AREA_RCX);
		}
	} else {
		emit_relocated(emitter->zone, insn->bytes, insn->length, effects->displacement_offset,
			       emission->ir->insns[i].va + insn->length);
	}
	emitter->r11_was_used |= effects->reads_r11 || effects->writes_r11;
	if (effects->writes_r11) {
		emitter->r11_in_register = true;
		emitter->r11_in_area = false;
	}
	emit_log_after(translator, i);
	if (effects->is_early_ending) {
		emit_state(translator, STATE_INTERNAL, i + 1);
		emit_sum_rcx(translator, emit_add_counter(translator, COUNTER_REP_AFTER, emission, i), i + 1);
	}
}

/* Emits the conditional branch that ends a fragment. */
static void emit_conditional(struct translator *translator, const struct emission *emission, size_t i)
{
	const struct block_ir *ir = emission->ir;
	const struct insn *insn = &ir->insns[i].insn;
	struct branch_fixup taken = {.va = ir->end_va + (uint64_t)insn->displacement, .head = LOG_NO_HEAD};
	struct zone *zone = translator->emitter.zone;

	taken.counter = emit_edges_plan_branch(translator, emission);
	emit_state(translator, STATE_CLEAN, i);
	emit_place_r11(translator, taken.va);
	emit_place_r11(translator, ir->end_va);
	emit_state(translator, STATE_CLEAN, i);
	emit_log_end(translator, emission->fragment, i);
	emit_edges_done(translator, emission->fragment, i);
	if (ir->effects[i].condition < CONDITION_COUNTER) {
		emit_alignment(zone, 2);
		EMIT(zone, 0x0f, (uint8_t)(0x80 | ir->effects[i].condition));
	} else {
		/* LOOP and JCXZ have short displacements only, so they jump over a jump. */
		emit_alignment(zone, 5);
		EMIT(zone, insn->bytes[insn->length - 2], 0x02);
		emit_state(translator, STATE_INTERNAL, i);
		EMIT(zone, 0xeb, 0x05, 0xe9);
	}
	emit_branch(translator, emission->fixups, taken);
	emit_edges_not_taken(translator, emission);
}

/* Leaves translated code before an instruction sets RSP to a value at which a visit or a signal handler may end. */
static void emit_watch(struct translator *translator, uint64_t va, const struct insn_effects *effects)
{
	struct zone *zone = translator->emitter.zone;
	size_t skip_from;

	emit_state(translator, STATE_CLEAN, 0);
	emit_area(zone, STORE_RCX, AREA_RCX);
	emit_state(translator, STATE_INTERNAL, 0);
	emit_area(zone, LOAD_RCX, AREA_WATCH);
	EMIT(zone, 0xe3, 0x00); /* jrcxz to the end */
	skip_from = zone->n_used;
	if (effects->copy == COPY_RBP_TO_RSP) {
		emit_area(zone, STORE_RAX, AREA_RAX);
		emit_area(zone, LOAD_RAX, AREA_LIMIT);
		EMIT(zone, 0x48, 0x8d, 0x8d); /* lea rcx, [rbp + disp32] */
		emit_32(zone, (uint32_t)effects->rbp_displacement);
		/* not rcx; lea rcx, [rcx + rax]: the high byte is nonzero if the new RSP reaches the limit */
		EMIT(zone, 0x48, 0xf7, 0xd1, 0x48, 0x8d, 0x0c, 0x01);
		emit_area(zone, LOAD_RAX, AREA_RAX);
		EMIT(zone, 0x48, 0x0f, 0xc9, 0x0f, 0xb6, 0xc9); /* bswap rcx; movzx ecx, cl */
		EMIT(zone, 0xe3, 0x0a);				/* jrcxz over the next two */
	}
	emit_area(zone, LOAD_RCX, AREA_RCX);
	emit_exit_stub(translator, (struct exit_stub){.va = va,
						      .kind = EXIT_MOVES_RSP,
						      .r11_in_area = !translator->emitter.r11_in_register});
	zone->bytes[skip_from - 1] = (uint8_t)(zone->n_used - skip_from);
	emit_area(zone, LOAD_RCX, AREA_RCX);
}

/* Emits a branch in the middle of a trace. The unexpected direction leaves the trace. */
static void emit_inner_branch(struct translator *translator, const struct emission *emission, size_t i)
{
	const struct fragment_insn *insn = &emission->ir->insns[i];
	struct branch_fixup side = {.va = block_ir_side_va(emission->ir, i)};
	uint8_t condition = emission->ir->effects[i].condition;

	if (side.va == fragment_insn_next_va(insn))
		condition ^= 1; /* negates the condition (Intel SDM vol. 2, B.1.4.7) */
	emit_log_pointer(translator, STATE_CLEAN, i);
	emit_place_r11(translator, side.va);
	emit_state(translator, STATE_CLEAN, i);
	emit_alignment(translator->emitter.zone, 2);
	EMIT(translator->emitter.zone, 0x0f, (uint8_t)(0x80 | condition));
	side.counter = emit_add_counter(translator, COUNTER_SIDE_EXIT, emission, i);
	side.head = emit_log_plan_side(translator, emission->fragment, i);
	emit_branch(translator, emission->fixups, side);
}

/* Emits a transfer of control in the middle of a trace. */
static void emit_inner(struct translator *translator, const struct emission *emission, size_t i)
{
	const struct fragment_insn *insn = &emission->ir->insns[i];
	enum insn_flow flow = insn->insn.flow;

	if (flow_is_indirect(flow)) {
		if (flow == FLOW_RETURN)
			emit_log_pointer(translator, STATE_CLEAN, i);
		emit_indirect(translator, emission, i);
		return;
	}
	emit_state(translator, STATE_CLEAN, i);
	if (flow == FLOW_CALL)
		emit_push_va(translator, emission->fixups, fragment_insn_next_va(insn));
	if (flow == FLOW_BRANCH)
		emit_inner_branch(translator, emission, i);
}

/* Returns the first instruction before which the counter may use INC, which changes all arithmetic flags but CF;
 * n_insns: none. */
static size_t find_dead_flags(const struct block_ir *ir)
{
	for (size_t i = 0; i < ir->n_insns; i++) {
		if (!(ir->flags_live[i] & ~FLAG_CF))
			return i;
		/* Control may leave the fragment here. */
		if (ir->insns[i].insn.flow == FLOW_BRANCH || flow_is_indirect(ir->insns[i].insn.flow))
			break;
	}
	return ir->n_insns;
}

/* Emits a direct jump or call that ends a fragment. */
static uint64_t emit_direct(struct translator *translator, const struct emission *emission, size_t i)
{
	const struct block_ir *ir = emission->ir;
	uint64_t target_va = ir->end_va + (uint64_t)ir->insns[i].insn.displacement;

	emit_state(translator, STATE_CLEAN, i);
	emit_place_r11(translator, target_va);
	emit_state(translator, STATE_CLEAN, i);
	if (ir->insns[i].insn.flow == FLOW_CALL)
		emit_push_va(translator, emission->fixups, ir->end_va);
	emit_log_end(translator, emission->fragment, i);
	emit_edges_done(translator, emission->fragment, i);
	return target_va;
}

/* Emits the last instruction, i. Returns as emit_fragment. */
static uint64_t emit_last(struct translator *translator, const struct emission *emission, size_t i)
{
	const struct block_ir *ir = emission->ir;
	enum insn_flow flow = ir->insns[i].insn.flow;

	emit_log_before(translator, i);
	if (flow == FLOW_JUMP_INDIRECT || flow == FLOW_CALL_INDIRECT || flow == FLOW_NEXT)
		emit_log_program_value(translator, i);
	else
		emit_log_pointer(translator, STATE_CLEAN, i);
	switch (flow) {
	case FLOW_JUMP:
	case FLOW_CALL:
		return emit_direct(translator, emission, i);
	case FLOW_BRANCH:
		emit_conditional(translator, emission, i);
		return ir->end_va;
	case FLOW_RETURN:
	case FLOW_JUMP_INDIRECT:
	case FLOW_CALL_INDIRECT:
		emit_indirect(translator, emission, i);
		return 0;
	default:
		emit_copy(translator, emission, i);
		emit_log_pointer(translator, STATE_CLEAN, ir->n_insns);
		emit_state(translator, STATE_INTERNAL, ir->n_insns);
		emit_log_end(translator, emission->fragment, ir->n_insns);
		emit_place_r11(translator, ir->end_va);
		emit_edges_done(translator, emission->fragment, ir->n_insns);
		return ir->end_va;
	}
}

/* Leaves translated code unless the call is native. RCX and R11, which the kernel overwrites, are free for use. */
static void emit_native_check(struct translator *translator, uint64_t va)
{
	struct zone *zone = translator->emitter.zone;
	uint32_t exit_from;

	EMIT(zone, 0x89, 0xc1, 0x0f, 0xc9, 0x0f, 0xb7, 0xc9); /* mov ecx, eax; bswap ecx; movzx ecx, cx */
	EMIT(zone, 0xe3, 0x02, 0xeb, 0x00);		      /* jrcxz over; jmp out; over: */
	exit_from = (uint32_t)zone->n_used;
	EMIT(zone, 0x0f, 0xb7, 0xc8);	    /* movzx ecx, ax */
	EMIT(zone, 0x65, 0x0f, 0xb6, 0x89); /* movzx ecx, byte gs:[rcx + AREA_SYSCALL_NATIVE] */
	emit_32(zone, AREA_SYSCALL_NATIVE);
	EMIT(zone, 0xe3, 0x02, 0xeb, 0x0a); /* jrcxz out; jmp over the next two; out: */
	zone->bytes[exit_from - 1] = (uint8_t)(zone->n_used - exit_from);
	emit_area(zone, LOAD_RCX, AREA_RCX);
	emit_exit_stub(translator, (struct exit_stub){.va = va, .kind = EXIT_STEP, .r11_in_area = true});
}

static void emit_count_number(struct zone *zone)
{
	EMIT(zone, 0x0f, 0xb7, 0xc8);		  /* movzx ecx, ax */
	EMIT(zone, 0x65, 0x4c, 0x8b, 0x1c, 0xcd); /* mov r11, gs:[rcx * 8 + AREA_SYSCALL_COUNTS] */
	emit_32(zone, AREA_SYSCALL_COUNTS);
	EMIT(zone, 0x4d, 0x8d, 0x5b, 0x01);	  /* lea r11, [r11 + 1] */
	EMIT(zone, 0x65, 0x4c, 0x89, 0x1c, 0xcd); /* mov gs:[rcx * 8 + AREA_SYSCALL_COUNTS], r11 */
	emit_32(zone, AREA_SYSCALL_COUNTS);
}

/* Emits a SYSCALL, which is a fragment by itself. If AREA_SYSCALL_NATIVE allows the call, translated code makes it and
 * counts it by number. Otherwise it is stepped. Returns as emit_fragment. */
static uint64_t emit_syscall(struct translator *translator, const struct emission *emission)
{
	struct fragment *fragment = translator_fragment(translator, emission->fragment);
	struct emitter *emitter = &translator->emitter;
	uint64_t end_va = emission->ir->end_va;
	struct zone *zone = emitter->zone;

	emit_state(translator, STATE_CLEAN, 0);
	emit_save_r11(translator);
	emit_area(zone, STORE_RCX, AREA_RCX);
	emit_take_r11(translator, STATE_RCX_IN_AREA, 0);
	emit_native_check(translator, emission->ir->va);
	emit_count_number(zone);
	emit_state(translator, STATE_SYSCALL_NUMBER, 0);
	emit_log_head(translator, emission->fragment);
	emit_increment_by_r11(zone, fragment->counter);
	fragment->counted_va = emit_va(zone);
	emit_log_syscall_argument(translator);
	emit_state(translator, STATE_SYSCALL_SITE, 0);
	EMIT(zone, 0x0f, 0x05);
	emitter->r11_in_register = true; /* R11 holds the flags. */
	emitter->r11_in_area = false;
	emit_state(translator, STATE_SYSCALL_DONE, 1);
	EMIT(zone, 0x48, 0xb9); /* mov rcx, imm64 */
	emit_absolute(translator, zone, ABSOLUTE_PROGRAM_VA, end_va);
	emit_state(translator, STATE_INTERNAL, 1);
	emit_log_pointer(translator, STATE_INTERNAL, 1);
	emit_log_end(translator, emission->fragment, 1);
	emit_place_r11(translator, end_va);
	emit_edges_done(translator, emission->fragment, 1);
	return end_va;
}

/* Adds the fragment, its instructions and its counter. */
static struct fragment *begin(struct translator *translator, const struct block_ir *ir)
{
	struct fragment *fragment = emit_begin_fragment(translator, ir->va);
	struct fragments *fragments = &translator->fragments;
	uint32_t index = translator_fragment_index(translator, fragment);

	addresses_at(&translator->addresses, ir->va)->fragment = index;
	emit_expect_r11(translator, ir->va);
	fragment->counter = fragments_add_counter(fragments, COUNTER_FRAGMENT, index, 0);
	fragment->first_insn = (uint32_t)fragments->n_insns;
	fragment->n_insns = (uint32_t)ir->n_insns;
	fragments->insns = array_grow(fragments->insns, &fragments->insns_capacity, fragments->n_insns + ir->n_insns,
				      sizeof(ir->insns[0]));
	memcpy(fragments->insns + fragments->n_insns, ir->insns, ir->n_insns * sizeof(ir->insns[0]));
	fragments->n_insns += ir->n_insns;
	emit_log_plan(translator, index);
	suspend_add_fragment(translator, index);
	return fragment;
}

static uint64_t emit_insns(struct translator *translator, const struct emission *emission, struct fragment *fragment)
{
	const struct block_ir *ir = emission->ir;
	size_t count_before = find_dead_flags(ir);
	bool flags_are_dead = count_before < ir->n_insns;

	if (!flags_are_dead)
		count_before = 0;
	if (ir->effects[0].copy == COPY_MOVES_RSP || ir->effects[0].copy == COPY_RBP_TO_RSP)
		emit_watch(translator, ir->va, &ir->effects[0]);
	emit_state(translator, STATE_CLEAN, 0);
	emit_log_head(translator, emission->fragment);
	for (size_t i = 0;; i++) {
		if (i == count_before)
			emit_count(translator, fragment, i, flags_are_dead);
		if (i == ir->n_insns - 1)
			return emit_last(translator, emission, i);
		emit_log_before(translator, i);
		emit_log_program_value(translator, i);
		if (ir->insns[i].insn.flow == FLOW_NEXT)
			emit_copy(translator, emission, i);
		else
			emit_inner(translator, emission, i);
	}
}

uint64_t emit_fragment(struct translator *translator, const struct block_ir *ir, struct fixups *fixups)
{
	struct fragment *fragment = begin(translator, ir);
	const struct emission emission = {.ir = ir,
					  .fragment = translator_fragment_index(translator, fragment),
					  .fixups = fixups};

	if (ir->is_checked)
		emit_check(translator, ir);
	if (ir->effects[0].copy == COPY_SYSCALL)
		fragment->end_va = emit_syscall(translator, &emission);
	else
		fragment->end_va = emit_insns(translator, &emission, fragment);
	fragment->n_counters = (uint32_t)translator->fragments.n_counters - fragment->counter;
	return fragment->end_va;
}

void emit_jump_to_next(struct translator *translator, struct fixups *fixups, uint64_t va)
{
	uint32_t last = (uint32_t)translator->fragments.n_fragments - 1;

	emit_state(translator, STATE_INTERNAL, translator_fragment(translator, last)->n_insns);
	emit_alignment(translator->emitter.zone, 1);
	EMIT(translator->emitter.zone, 0xe9);
	emit_branch(translator, fixups, (struct branch_fixup){.va = va, .counter = COUNTER_NONE, .head = LOG_NO_HEAD});
}
