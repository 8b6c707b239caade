#include "profile/call_walk.h"

#include <stdlib.h>

#include "base/array.h"
#include "profile/columns.h"

/* How often an instruction was executed in a context. */
enum told {
	TOLD_HIGH, /* as often as control may have come there, as far as that is known */
	TOLD_LOW,  /* as often as it must have */
	TOLD_NEVER,
	TOLD_COUNT, /* the difference from the first follows */
};

static unsigned n_bits(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

static uint32_t find_insn(const struct format_calls *calls, uint64_t va)
{
	size_t found = ARRAY_SEARCH(calls->n_insns, i, calls->insns[i].va < va);

	return found < calls->n_insns && calls->insns[found].va == va ? (uint32_t)found : PROFILE_NONE;
}

void call_walk_init(struct call_walk *walk, const struct bytes_io *io, const struct format_calls *calls)
{
	size_t edge = 0;

	*walk = (struct call_walk){.io = io, .calls = calls};
	walk->places = xcalloc(calls->n_insns, sizeof(*walk->places));
	for (uint32_t i = 0; i < calls->n_insns; i++) {
		const struct profile_insn *insn = &calls->insns[i];
		struct call_place *place = &walk->places[i];
		uint64_t target_va;

		place->target = PROFILE_NONE;
		if (code_fields_target(insn->bytes, insn->length, insn->va, &place->transfer, &target_va))
			place->target = find_insn(calls, target_va);
		place->follows = i > 0 && insn[-1].va + insn[-1].length == insn->va;
		place->left = calls->executions[i];
		while (edge < calls->n_edges && calls->edges[edge].from < i)
			edge++;
		place->first_edge = (uint32_t)edge;
		while (edge < calls->n_edges && calls->edges[edge].from == i)
			edge++;
		place->n_edges = (uint32_t)edge - place->first_edge;
	}
}

void call_walk_deinit(struct call_walk *walk)
{
	free(walk->places);
	free(walk->heap);
	free(walk->visited);
}

/* The heap: each instruction is above those at twice its index. */
static void heap_push(struct call_walk *walk, uint32_t insn)
{
	size_t at = walk->n_heap;

	*ARRAY_ADD(walk, heap) = insn;
	for (; at > 0 && walk->heap[(at - 1) / 2] > insn; at = (at - 1) / 2)
		walk->heap[at] = walk->heap[(at - 1) / 2];
	walk->heap[at] = insn;
}

static uint32_t heap_pop(struct call_walk *walk)
{
	uint32_t first = walk->heap[0], last = walk->heap[--walk->n_heap];
	size_t at = 0, below;

	while ((below = 2 * at + 1) < walk->n_heap) {
		below += below + 1 < walk->n_heap && walk->heap[below + 1] < walk->heap[below];
		if (walk->heap[below] >= last)
			break;
		walk->heap[at] = walk->heap[below];
		at = below;
	}
	walk->heap[at] = last;
	return first;
}

/* Control comes to an instruction so often at least, and so often at most. */
static void flow_to(struct call_walk *walk, uint32_t insn, uint64_t low, uint64_t high)
{
	struct call_place *place;

	if (insn == PROFILE_NONE || high == 0)
		return;
	place = &walk->places[insn];
	if (place->walk != walk->number) {
		place->walk = walk->number;
		place->is_done = false;
		place->low = place->high = 0;
		heap_push(walk, insn);
	}
	place->low += low;
	place->high += high;
}

/* What has to be certain so that an instruction's executions are; NOTHING: they never are. */
static enum certainty certainty_of(const struct call_place *place)
{
	enum code_transfer before = place->follows ? place[-1].transfer : CODE_JUMP;

	if (place->low != place->high)
		return CERTAIN_NOTHING;
	return before == CODE_NONE || before == CODE_CALL || before == CODE_INDIRECT_CALL ? CERTAIN_NEXT : CERTAIN_ALL;
}

static uint64_t io_executions(struct call_walk *walk, uint32_t insn)
{
	struct call_place *place = &walk->places[insn];
	const struct call_place *before = insn > 0 ? place - 1 : place;
	/* Of a branch before it: where else it leads. */
	bool is_branch = place->follows && before->transfer == CODE_CONDITIONAL && before->walk == place->walk;
	uint64_t other_left = is_branch && before->target != PROFILE_NONE ? walk->places[before->target].left : 0;
	uint64_t range, here = hint_mix(insn, 0), told, executions = place->wanted;
	enum certainty needed = certainty_of(place);
	struct hint hint;

	if (walk->is_dry) {
		if (needed != CERTAIN_NOTHING && executions != place->high && walk->certainty >= needed)
			walk->certainty = needed - 1;
		return executions;
	}
	if (place->left == 0)
		return 0;
	if (needed != CERTAIN_NOTHING && walk->certainty >= needed)
		return place->high;
	range = (uint64_t)(place->low == place->high) << 5 | (uint64_t)(place->high > 1) << 4 |
		(uint64_t)(place->left == 0) << 3 | (uint64_t)(place->left < place->high) << 2 |
		(uint64_t)is_branch << 1 | (other_left == 0);
	told = executions == place->high  ? TOLD_HIGH
	       : executions == place->low ? TOLD_LOW
	       : executions == 0	  ? TOLD_NEVER
					  : TOLD_COUNT;
	hint = (struct hint){COLUMN_TREE_EXECUTIONS,
			     5,
			     {range, hint_mix(here, range), hint_mix(hint_mix(here, place->history), range),
			      hint_mix(hint_mix(range, place->history), before->transfer),
			      hint_mix(hint_mix(range, n_bits(place->left)),
				       n_bits(other_left) * 64 + n_bits(place->high))}};
	told = bytes_io_uint(walk->io, &hint, told);
	place->history = (uint8_t)(place->history << 2 | (told & 3));
	if (told == TOLD_HIGH)
		return place->high;
	if (told == TOLD_LOW)
		return place->low;
	if (told == TOLD_NEVER)
		return 0;
	hint = (struct hint){COLUMN_TREE_COUNT,
			     3,
			     {n_bits(place->high), hint_mix(n_bits(place->high), n_bits(place->left)),
			      hint_mix(here, n_bits(place->high))}};
	return place->high + (uint64_t)bytes_io_int(walk->io, &hint, (int64_t)(executions - place->high));
}

/* What the executions of an instruction mean for those that may follow it. */
static void spread(struct call_walk *walk, uint32_t insn)
{
	const struct call_place *place = &walk->places[insn];
	uint32_t behind = PROFILE_NONE;

	if (insn + 1 < walk->calls->n_insns && place[1].follows)
		behind = insn + 1;
	switch (place->transfer) {
	case CODE_NONE:
	case CODE_CALL:
	case CODE_INDIRECT_CALL:
		flow_to(walk, behind, place->executions, place->executions);
		break;
	case CODE_CONDITIONAL:
		/* Where it does not run on, all jump; else what runs on tells, see below. */
		if (behind == PROFILE_NONE)
			flow_to(walk, place->target, place->executions, place->executions);
		else
			flow_to(walk, behind, 0, place->executions);
		/* That was visited before: it does not tell any more. */
		if (behind != PROFILE_NONE && place[1].is_done && place[1].walk == walk->number)
			flow_to(walk, place->target, 0, place->executions);
		break;
	case CODE_JUMP:
		flow_to(walk, place->target, place->executions, place->executions);
		break;
	case CODE_INDIRECT_JUMP:
		for (uint32_t i = 0; i < place->n_edges; i++)
			flow_to(walk, walk->calls->edges[place->first_edge + i].to, 0, place->executions);
		break;
	case CODE_RETURN:
		break;
	}
}

/* A branch jumped as often as it did not run on to the next instruction, whose executions are known now. */
static void spread_branch(struct call_walk *walk, uint32_t insn)
{
	const struct call_place *place = &walk->places[insn], *branch = place - 1;
	uint64_t ran_on;

	if (!place->follows || branch->transfer != CODE_CONDITIONAL || branch->walk != place->walk || !branch->is_done)
		return;
	ran_on = place->executions > place->low ? place->executions - place->low : 0;
	if (ran_on < branch->executions)
		flow_to(walk, branch->target, branch->executions - ran_on, branch->executions - ran_on);
}

static void visit_all(struct call_walk *walk)
{
	while (walk->n_heap > 0 && !(walk->io->reader && walk->io->reader->problem)) {
		uint32_t insn = heap_pop(walk);
		struct call_place *place = &walk->places[insn];

		if (place->is_done)
			continue;
		place->executions = io_executions(walk, insn);
		place->is_done = true;
		if (place->executions > 0)
			*ARRAY_ADD(walk, visited) = insn;
		spread_branch(walk, insn);
		if (place->executions > 0)
			spread(walk, insn);
	}
}

void call_walk_run(struct call_walk *walk, const struct profile_context *context, const uint32_t *extra, size_t n_extra,
		   bool is_dry)
{
	walk->number++;
	walk->is_dry = is_dry;
	walk->n_visited = walk->n_heap = 0;
	flow_to(walk, context->entry, context->calls, context->calls);
	for (size_t i = 0; i < n_extra; i++)
		flow_to(walk, extra[i], 0, 1);
	visit_all(walk);
}

bool call_walk_has_visited(const struct call_walk *walk, uint32_t insn)
{
	return walk->places[insn].walk == walk->number && walk->places[insn].is_done;
}
