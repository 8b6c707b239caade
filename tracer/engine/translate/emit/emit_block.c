#include "engine/translate/emit/emit_block.h"

#include <assert.h>

#include "base/array.h"
#include "engine/translate/contexts/edges.h"
#include "engine/translate/emit/encode.h"
#include "engine/translate/log/log.h"

void mark(struct translator *translator, enum point_kind kind, size_t insn)
{
	add_point(translator, (struct point){.insn = (uint8_t)insn,
					     .kind = (uint8_t)kind,
					     .r11_is_away = !translator->r11_is_home,
					     .is_own = translator->log.is_own});
}

void save_r11(struct translator *translator)
{
	if (!translator->r11_is_saved)
		emit_area(translator->zone, STORE_R11, AREA_R11);
	translator->r11_is_saved = true;
}

void fetch_r11(struct translator *translator)
{
	if (!translator->r11_is_home)
		emit_area(translator->zone, LOAD_R11, AREA_R11);
	translator->r11_is_home = true;
}

void take_r11(struct translator *translator, enum point_kind kind, size_t insn)
{
	save_r11(translator);
	translator->r11_is_home = false;
	mark(translator, kind, insn);
}

void place_r11(struct translator *translator, uint64_t va)
{
	if (r11_is_home_at(translator, va, translator->r11_was_used))
		fetch_r11(translator);
	else
		save_r11(translator);
}

/* Where control comes to va, R11 was put there. */
static void expect_r11(struct translator *translator, uint64_t va)
{
	translator->r11_is_home = r11_is_home_at(translator, va, translator->r11_was_used);
	translator->r11_was_used |= translator->r11_is_home;
	translator->r11_is_saved = !translator->r11_is_home;
}

uint32_t add_counter(struct translator *translator, enum counter_kind kind, uint32_t block, size_t insn)
{
	assert(translator->n_counters < COUNTERS_MAX);
	*ARRAY_ADD(translator,
		   counters) = (struct counter){.kind = kind, .block = block, .insn = (uint8_t)insn, .site = SITE_NONE};
	if (kind == COUNTER_TARGET)
		*ARRAY_ADD(translator, targets) = (uint32_t)(translator->n_counters - 1);
	return (uint32_t)(translator->n_counters - 1);
}

static void emit_branch(struct translator *translator, struct chain *chain, uint64_t va, uint32_t counter,
			uint32_t head)
{
	*ARRAY_ADD(chain, branches) = (struct chain_branch){.patch_va = emit_va(translator->zone),
							    .va = va,
							    .counter = counter,
							    .head = head};
	emit_32(translator->zone, 0);
}

/* Adds one to a counter, with flags that may be overwritten or else without touching them. */
static void emit_count(struct translator *translator, struct block *block, size_t insn, bool flags_are_dead)
{
	struct zone *zone = translator->zone;
	uint32_t offset = counter_offset(block->counter);

	mark(translator, POINT_CLEAN, insn);
	if (flags_are_dead) {
		emit_area(zone, INCREMENT, offset);
		block->counted_va = emit_va(zone);
		return;
	}
	take_r11(translator, POINT_FORWARD, insn);
	emit_area(zone, LOAD_R11, offset);
	EMIT(zone, 0x4d, 0x8d, 0x5b, 0x01); /* lea r11, [r11 + 1] */
	emit_area(zone, STORE_R11, offset);
	block->counted_va = emit_va(zone);
}

/* Sums up RCX in a counter, leaving flags alone. */
static void emit_sum_rcx(struct translator *translator, uint32_t counter, size_t insn)
{
	struct zone *zone = translator->zone;

	take_r11(translator, POINT_FORWARD, insn);
	emit_area(zone, LOAD_R11, counter_offset(counter));
	EMIT(zone, 0x4d, 0x8d, 0x1c, 0x0b); /* lea r11, [r11 + rcx] */
	emit_area(zone, STORE_R11, counter_offset(counter));
}

void emit_moved(struct zone *zone, const uint8_t *bytes, size_t length, size_t displacement_offset, uint64_t next_va)
{
	uint64_t begin_va = emit_va(zone);
	int32_t displacement;

	emit_bytes(zone, bytes, length);
	if (!displacement_offset)
		return;
	memcpy(&displacement, bytes + displacement_offset, sizeof(displacement));
	displacement = (int32_t)(next_va + (uint64_t)(int64_t)displacement - (begin_va + length));
	memcpy(zone->bytes + (begin_va - zone->va) + displacement_offset, &displacement, sizeof(displacement));
}

bool emit_far_address(struct translator *translator, const struct draft *draft, size_t i)
{
	const struct insn_effects *effects = &draft->effects[i];
	const struct block_insn *insn = &draft->insns[i];
	uint64_t va;

	if (!effects->displacement_offset)
		return false;
	va = draft_operand(&insn->insn, effects, insn->va);
	if (cache_serves(translator->zone, va))
		return false;
	take_r11(translator, POINT_CLEAN, i);
	EMIT(translator->zone, 0x49, 0xbb); /* mov r11, imm64 */
	emit_64(translator->zone, va);
	return true;
}

static void emit_copy(struct translator *translator, uint32_t block_index, const struct draft *draft, size_t i)
{
	const struct insn_effects *effects = &draft->effects[i];
	const struct insn *insn = &draft->insns[i].insn;
	uint8_t by_r11[INSN_MAX_BYTES];

	mark(translator, POINT_CLEAN, i);
	if (effects->reads_r11 && !translator->r11_is_home) {
		fetch_r11(translator);
		mark(translator, POINT_CLEAN, i);
	}
	if (insn->rep_count_bits) {
		emit_sum_rcx(translator, add_counter(translator, COUNTER_REP, block_index, i), i);
		mark(translator, POINT_REP, i);
	}
	if (emit_far_address(translator, draft, i))
		emit_bytes(translator->zone, by_r11, insn_address_by_r11(insn, by_r11));
	else
		emit_moved(translator->zone, insn->bytes, insn->length, effects->displacement_offset,
			   draft->insns[i].va + insn->length);
	translator->r11_was_used |= effects->reads_r11 || effects->writes_r11;
	if (effects->writes_r11) {
		translator->r11_is_home = true;
		translator->r11_is_saved = false;
	}
	log_emit_after(translator, i);
	if (effects->is_early_ending) {
		mark(translator, POINT_FORWARD, i + 1);
		emit_sum_rcx(translator, add_counter(translator, COUNTER_REP_AFTER, block_index, i), i + 1);
	}
}

void emit_push_va(struct translator *translator, struct chain *chain, uint64_t va)
{
	struct zone *zone = translator->zone;

	if (va <= INT32_MAX) {
		EMIT(zone, 0x68); /* push imm32 */
		emit_32(zone, (uint32_t)va);
		return;
	}
	EMIT(zone, 0xff, 0x35); /* push [rip + disp32] */
	*ARRAY_ADD(chain, literals) = (struct chain_literal){.patch_va = emit_va(zone), .value = va};
	emit_32(zone, 0);
}

static void emit_conditional(struct translator *translator, uint32_t block, struct chain *chain,
			     const struct draft *draft, size_t i)
{
	const struct block_insn *insn = &draft->insns[i];
	uint64_t target_va = draft->end_va + (uint64_t)insn->insn.displacement;
	uint32_t taken = edges_plan_arm(translator, block, draft);
	struct zone *zone = translator->zone;

	mark(translator, POINT_CLEAN, i);
	place_r11(translator, target_va);
	place_r11(translator, draft->end_va);
	mark(translator, POINT_CLEAN, i);
	log_emit_end(translator, block, i);
	edges_emit_done(translator, block, i);
	if (draft->effects[i].condition < CONDITION_COUNTER) {
		emit_alignment(zone, 2);
		EMIT(zone, 0x0f, (uint8_t)(0x80 | draft->effects[i].condition));
		emit_branch(translator, chain, target_va, taken, LOG_NO_HEAD);
		edges_emit_not_taken(translator, block, draft);
		return;
	}
	/* These have short displacements only: over a jump that leads over one. */
	emit_alignment(zone, 5);
	EMIT(zone, insn->insn.bytes[insn->insn.length - 2], 0x02);
	mark(translator, POINT_FORWARD, i);
	EMIT(zone, 0xeb, 0x05, 0xe9);
	emit_branch(translator, chain, target_va, taken, LOG_NO_HEAD);
	edges_emit_not_taken(translator, block, draft);
}

/* The kernel overwrites RCX and R11: they serve until then. Afterwards R11 is the flags. */
static void emit_syscall(struct translator *translator, struct block *block, const struct draft *draft)
{
	struct zone *zone = translator->zone;
	uint32_t exit_from;

	mark(translator, POINT_CLEAN, 0);
	save_r11(translator);
	emit_area(zone, STORE_RCX, AREA_RCX);
	take_r11(translator, POINT_SYSCALL, 0);
	EMIT(zone, 0x89, 0xc1, 0x0f, 0xc9, 0x0f, 0xb7, 0xc9); /* mov ecx, eax; bswap ecx; movzx ecx, cx */
	EMIT(zone, 0xe3, 0x02, 0xeb, 0x00);		      /* jrcxz over; jmp out; over: */
	exit_from = (uint32_t)zone->n_used;
	EMIT(zone, 0x0f, 0xb7, 0xc8);	    /* movzx ecx, ax */
	EMIT(zone, 0x65, 0x0f, 0xb6, 0x89); /* movzx ecx, byte gs:[rcx + AREA_SYSCALL_NATIVE] */
	emit_32(zone, AREA_SYSCALL_NATIVE);
	EMIT(zone, 0xe3, 0x02, 0xeb, 0x0a); /* jrcxz out; jmp over the next two; out: */
	zone->bytes[exit_from - 1] = (uint8_t)(zone->n_used - exit_from);
	emit_area(zone, LOAD_RCX, AREA_RCX);
	add_exit(translator, emit_va(zone), (struct exit){.va = draft->va, .kind = EXIT_STEP, .r11_is_away = true});
	EMIT(zone, 0xcc);
	EMIT(zone, 0x0f, 0xb7, 0xc8);		  /* movzx ecx, ax */
	EMIT(zone, 0x65, 0x4c, 0x8b, 0x1c, 0xcd); /* mov r11, gs:[rcx * 8 + AREA_SYSCALL_COUNTS] */
	emit_32(zone, AREA_SYSCALL_COUNTS);
	EMIT(zone, 0x4d, 0x8d, 0x5b, 0x01);	  /* lea r11, [r11 + 1] */
	EMIT(zone, 0x65, 0x4c, 0x89, 0x1c, 0xcd); /* mov gs:[rcx * 8 + AREA_SYSCALL_COUNTS], r11 */
	emit_32(zone, AREA_SYSCALL_COUNTS);
	mark(translator, POINT_SYSCALL_NUMBER, 0);
	log_emit_block(translator, (uint32_t)(block - translator->blocks));
	emit_area(zone, LOAD_R11, counter_offset(block->counter));
	EMIT(zone, 0x4d, 0x8d, 0x5b, 0x01); /* lea r11, [r11 + 1] */
	emit_area(zone, STORE_R11, counter_offset(block->counter));
	block->counted_va = emit_va(zone);
	log_emit_own_argument(translator);
	mark(translator, POINT_SYSCALL_SITE, 0);
	EMIT(zone, 0x0f, 0x05);
	translator->r11_is_home = true;
	translator->r11_is_saved = false;
	mark(translator, POINT_SYSCALL_DONE, 1);
	EMIT(zone, 0x48, 0xb9); /* mov rcx, imm64 */
	emit_64(zone, draft->end_va);
}

/* Stops first where a visit or handler may end with the stack pointer that is about to be loaded. */
static void emit_watch(struct translator *translator, uint64_t va, const struct insn_effects *effects)
{
	struct zone *zone = translator->zone;
	size_t skip_from;

	mark(translator, POINT_CLEAN, 0);
	emit_area(zone, STORE_RCX, AREA_RCX);
	mark(translator, POINT_FORWARD, 0);
	emit_area(zone, LOAD_RCX, AREA_WATCH);
	EMIT(zone, 0xe3, 0x00); /* jrcxz to the end */
	skip_from = zone->n_used;
	if (effects->copy == COPY_RBP_TO_RSP) {
		emit_area(zone, STORE_RAX, AREA_RAX);
		emit_area(zone, LOAD_RAX, AREA_LIMIT);
		EMIT(zone, 0x48, 0x8d, 0x8d); /* lea rcx, [rbp + disp32] */
		emit_32(zone, (uint32_t)effects->rbp_displacement);
		/* Negative, that is with a high byte that is not 0, if it reaches the limit: not rcx; lea rcx, [rcx + rax] */
		EMIT(zone, 0x48, 0xf7, 0xd1, 0x48, 0x8d, 0x0c, 0x01);
		emit_area(zone, LOAD_RAX, AREA_RAX);
		EMIT(zone, 0x48, 0x0f, 0xc9, 0x0f, 0xb6, 0xc9); /* bswap rcx; movzx ecx, cl */
		EMIT(zone, 0xe3, 0x0a);				/* jrcxz over the next two */
	}
	emit_area(zone, LOAD_RCX, AREA_RCX);
	add_exit(translator, emit_va(zone),
		 (struct exit){.va = va, .kind = EXIT_MOVES_RSP, .r11_is_away = !translator->r11_is_home});
	EMIT(zone, 0xcc);
	zone->bytes[skip_from - 1] = (uint8_t)(zone->n_used - skip_from);
	emit_area(zone, LOAD_RCX, AREA_RCX);
}

/* A transfer in the midst of a trace. */
static void emit_inner(struct translator *translator, uint32_t block, struct chain *chain, const struct draft *draft,
		       size_t i)
{
	const struct block_insn *insn = &draft->insns[i];
	struct zone *zone = translator->zone;
	uint8_t condition = draft->effects[i].condition;
	uint64_t side_va;

	if (flow_is_indirect(insn->insn.flow)) {
		if (insn->insn.flow == FLOW_RETURN)
			log_emit_stolen(translator, POINT_CLEAN, i);
		emit_indirect(translator, block, chain, draft, i);
		return;
	}
	mark(translator, POINT_CLEAN, i);
	if (insn->insn.flow == FLOW_CALL)
		emit_push_va(translator, chain, insn->va + insn->insn.length);
	if (insn->insn.flow != FLOW_BRANCH)
		return;
	side_va = draft_side(draft, i);
	if (side_va == insn->va + insn->insn.length)
		condition ^= 1; /* of two condition codes that differ in the lowest bit each is the other's opposite */
	log_emit_stolen(translator, POINT_CLEAN, i);
	place_r11(translator, side_va);
	mark(translator, POINT_CLEAN, i);
	emit_alignment(zone, 2);
	EMIT(zone, 0x0f, (uint8_t)(0x80 | condition));
	emit_branch(translator, chain, side_va, add_counter(translator, COUNTER_SIDE, block, i),
		    log_plan_side(translator, block, i));
}

/* Where the instructions' counter can use INC, which leaves only CF alone; n_insns: nowhere. */
static size_t find_dead_flags(const struct draft *draft)
{
	for (size_t i = 0; i < draft->n_insns; i++) {
		if (!(draft->flags_live[i] & ~FLAG_CF))
			return i;
		/* It may end there. */
		if (draft->insns[i].insn.flow == FLOW_BRANCH || flow_is_indirect(draft->insns[i].insn.flow))
			break;
	}
	return draft->n_insns;
}

/* Returns the address at which code that is to follow right here stands for; 0: none follows. */
static uint64_t emit_last(struct translator *translator, uint32_t block_index, struct chain *chain,
			  const struct draft *draft, size_t i)
{
	const struct block_insn *insn = &draft->insns[i];
	uint64_t target_va = draft->end_va + (uint64_t)insn->insn.displacement;

	log_emit_before(translator, i);
	if (insn->insn.flow == FLOW_JUMP_INDIRECT || insn->insn.flow == FLOW_CALL_INDIRECT ||
	    insn->insn.flow == FLOW_NEXT)
		log_emit_own(translator, i);
	else
		log_emit_stolen(translator, POINT_CLEAN, i);
	switch (insn->insn.flow) {
	case FLOW_JUMP:
		mark(translator, POINT_CLEAN, i);
		place_r11(translator, target_va);
		mark(translator, POINT_CLEAN, i);
		log_emit_end(translator, block_index, i);
		edges_emit_done(translator, block_index, i);
		return target_va;
	case FLOW_CALL:
		mark(translator, POINT_CLEAN, i);
		place_r11(translator, target_va);
		mark(translator, POINT_CLEAN, i);
		emit_push_va(translator, chain, draft->end_va);
		log_emit_end(translator, block_index, i);
		edges_emit_done(translator, block_index, i);
		return target_va;
	case FLOW_BRANCH:
		emit_conditional(translator, block_index, chain, draft, i);
		return draft->end_va;
	case FLOW_RETURN:
	case FLOW_JUMP_INDIRECT:
	case FLOW_CALL_INDIRECT:
		emit_indirect(translator, block_index, chain, draft, i);
		return 0;
	default:
		emit_copy(translator, block_index, draft, i);
		log_emit_stolen(translator, POINT_CLEAN, draft->n_insns);
		mark(translator, POINT_FORWARD, draft->n_insns);
		log_emit_end(translator, block_index, draft->n_insns);
		place_r11(translator, draft->end_va);
		edges_emit_done(translator, block_index, draft->n_insns);
		return draft->end_va;
	}
}

uint64_t emit_block(struct translator *translator, struct chain *chain, const struct draft *draft)
{
	bool is_syscall = draft->effects[0].copy == COPY_SYSCALL;
	struct block *block = add_block(translator, draft->va);
	uint32_t index = (uint32_t)(translator->n_blocks - 1);
	size_t count_before = find_dead_flags(draft);
	bool flags_are_dead = count_before < draft->n_insns;
	uint64_t sequel_va;

	if (!flags_are_dead)
		count_before = 0;
	addresses_at(&translator->addresses, draft->va)->block = index;
	expect_r11(translator, draft->va);
	block->counter = add_counter(translator, COUNTER_BLOCK, index, 0);
	block->first_insn = (uint32_t)translator->n_insns;
	block->n_insns = (uint32_t)draft->n_insns;
	translator->insns = array_grow(translator->insns, &translator->insns_capacity,
				       translator->n_insns + draft->n_insns, sizeof(draft->insns[0]));
	memcpy(translator->insns + translator->n_insns, draft->insns, draft->n_insns * sizeof(draft->insns[0]));
	translator->n_insns += draft->n_insns;
	log_plan_block(translator, index);
	remember_block(translator, index);
	if (is_syscall) {
		emit_syscall(translator, block, draft);
		mark(translator, POINT_FORWARD, 1);
		log_emit_stolen(translator, POINT_FORWARD, 1);
		log_emit_end(translator, index, 1);
		place_r11(translator, draft->end_va);
		edges_emit_done(translator, index, 1);
		sequel_va = draft->end_va;
	} else {
		if (draft->effects[0].copy == COPY_MOVES_RSP || draft->effects[0].copy == COPY_RBP_TO_RSP)
			emit_watch(translator, draft->va, &draft->effects[0]);
		mark(translator, POINT_CLEAN, 0);
		log_emit_block(translator, index);
		for (size_t i = 0;; i++) {
			if (i == count_before)
				emit_count(translator, block, i, flags_are_dead);
			if (i == draft->n_insns - 1)
				break;
			log_emit_before(translator, i);
			log_emit_own(translator, i);
			if (draft->insns[i].insn.flow == FLOW_NEXT)
				emit_copy(translator, index, draft, i);
			else
				emit_inner(translator, index, chain, draft, i);
		}
		sequel_va = emit_last(translator, index, chain, draft, draft->n_insns - 1);
	}
	block->end_va = sequel_va;
	block->n_counters = (uint32_t)translator->n_counters - block->counter;
	return sequel_va;
}

void emit_sequel(struct translator *translator, struct chain *chain, uint64_t va)
{
	struct block *block = &translator->blocks[translator->n_blocks - 1];

	mark(translator, POINT_FORWARD, block->n_insns);
	emit_alignment(translator->zone, 1);
	EMIT(translator->zone, 0xe9);
	emit_branch(translator, chain, va, COUNTER_NONE, LOG_NO_HEAD);
}
