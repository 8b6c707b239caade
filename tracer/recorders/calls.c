#include "recorders/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recorders/calls_private.h"

/* Calls deeper than FRAMES_MAX have no frame. A search for a frame looks at SEARCH_MAX frames. */
enum { FRAMES_MAX = 1 << 20, SEARCH_MAX = 1 << 14 };

struct call_recorder *call_recorder_create(call_symbolize *symbolize, bool wants_memory, void *context)
{
	struct call_recorder *recorder = xcalloc(1, sizeof(*recorder));

	recorder->symbolize = symbolize;
	recorder->context = context;
	recorder->wants_memory = wants_memory;
	return recorder;
}

void call_recorder_end_thread(struct call_recorder *recorder, uint32_t number)
{
	struct call_thread *thread = call_recorder_thread(recorder, number);

	for (size_t i = 0; i < thread->n_stacks; i++)
		free(thread->stacks[i].frames);
	free(thread->stacks);
	*thread = (struct call_thread){0};
}

void call_recorder_destroy(struct call_recorder *recorder)
{
	if (!recorder)
		return;
	for (size_t i = 0; i < recorder->n_threads; i++)
		call_recorder_end_thread(recorder, (uint32_t)i);
	for (size_t i = 0; i < recorder->n_counts; i++)
		call_counts_deinit(&recorder->counts[i]);
	free(recorder->threads);
	free(recorder->counts);
	free(recorder->blocks);
	free(recorder);
}

static enum call_transfer transfer_of(const struct profile_insn *insn)
{
	struct insn decoded;

	/* The kernel emulates a call of the vsyscall page, including its return. */
	if (!insn_decode(insn->bytes, insn->length, &decoded))
		return TRANSFER_RETURN;
	switch (decoded.flow) {
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT:
		return TRANSFER_CALL;
	case FLOW_RETURN:
		return TRANSFER_RETURN;
	case FLOW_JUMP_INDIRECT:
		return TRANSFER_INDIRECT;
	default:
		return TRANSFER_PLAIN;
	}
}

static void add_block(struct call_recorder *recorder, struct profile *profile)
{
	const struct profile_block *block = &profile->blocks[recorder->n_blocks];
	struct call_block *added = ARRAY_ADD(recorder, blocks);
	const struct profile_insn *insn;

	added->first = profile->block_insns[block->first];
	added->last = profile->block_insns[block->first + block->n_insns - 1];
	recorder->symbolize(recorder->context, profile, added->first);
	insn = &profile->insns[added->first];
	added->function = insn->function;
	added->module = insn->module;
	added->start_va = insn->va;
	added->is_anonymous = insn->function == PROFILE_NONE || profile_function_is_module(profile, insn->function);
	added->is_entry = !added->is_anonymous && insn->function_offset == 0;
	added->is_stub = !added->is_anonymous && profile_function_is_stub(profile, insn->function);
	insn = &profile->insns[added->last];
	added->end_va = insn->va + insn->length;
	added->transfer = (uint8_t)transfer_of(insn);
}

static struct call_frame *top(struct call_stack *stack)
{
	return &stack->frames[stack->n_frames - 1];
}

static uint32_t key_of(const struct call_block *to)
{
	return to->is_anonymous ? to->first | CALL_KEY_INSN : to->function;
}

static void push(struct call_stack *stack, struct call_counts *counts, uint32_t parent, uint32_t site,
		 uint64_t return_va, const struct call_block *to)
{
	struct call_frame *frame;

	if (stack->n_frames >= FRAMES_MAX) {
		stack->n_unfollowed += return_va != 0;
		return;
	}
	frame = ARRAY_ADD(stack, frames);
	frame->context = call_counts_enter(counts, parent, site, key_of(to), to->first);
	frame->function = to->function;
	frame->module = to->module;
	frame->parent = parent;
	frame->site = site;
	frame->return_va = return_va;
	frame->is_stub = to->is_stub;
}

static void push_root(struct call_stack *stack, struct call_counts *counts, const struct call_block *to)
{
	stack->n_frames = 0;
	stack->n_unfollowed = 0;
	push(stack, counts, PROFILE_NONE, PROFILE_NONE, 0, to);
}

/* Unwinds to the innermost frame of the function; with within_tail_calls, only through frames of tail calls. Returns
 * false if there is no such frame. */
static bool unwind_to(struct call_stack *stack, uint32_t function, bool within_tail_calls)
{
	for (size_t n = stack->n_frames; n > 0 && stack->n_frames - n < SEARCH_MAX; n--) {
		const struct call_frame *frame = &stack->frames[n - 1];

		if (frame->function == function) {
			stack->n_frames = n;
			stack->n_unfollowed = 0;
			return true;
		}
		if (within_tail_calls && frame->return_va)
			return false;
	}
	return false;
}

/* Pops all frames up to the innermost one that returns to va. Returns false if there is none. */
static bool pop_to(struct call_stack *stack, uint64_t va)
{
	for (size_t n = stack->n_frames; n > 1 && stack->n_frames - n < SEARCH_MAX; n--) {
		if (stack->frames[n - 1].return_va == va) {
			stack->n_frames = n - 1;
			return true;
		}
	}
	return false;
}

/* Returns true for "f.cold" and "f": the compiler moves parts of functions. */
static bool is_part_of(const struct profile *profile, uint32_t function, uint32_t whole)
{
	const char *name, *whole_name;

	if (function == PROFILE_NONE || whole == PROFILE_NONE)
		return false;
	name = profile->functions[function].name;
	whole_name = profile->functions[whole].name;
	return strncmp(name, whole_name, strlen(whole_name)) == 0 && name[strlen(whole_name)] == '.';
}

static void jump(const struct profile *profile, struct call_stack *stack, struct call_counts *counts,
		 const struct call_block *from, const struct call_block *to)
{
	struct call_frame last = *top(stack);
	bool is_part;

	if (to->function == last.function)
		return;
	if (last.is_stub && to->is_anonymous && to->module == last.module) {
		/* The first entry of the procedure linkage table has no symbol. */
		top(stack)->function = to->function;
		return;
	}
	if (last.is_stub) {
		stack->n_frames--;
		push(stack, counts, last.parent, last.site, last.return_va, to);
		return;
	}
	/* A recursive function jumps to its own "f.cold" while an outer call may be in "f.cold" as well. */
	is_part = is_part_of(profile, to->function, last.function);
	if (unwind_to(stack, to->function, true) ||
	    (!to->is_entry && !is_part && unwind_to(stack, to->function, false)))
		return;
	/* This jump is a longjmp or an exception, and its target was called before the visit began. */
	if (from->transfer == TRANSFER_INDIRECT && !to->is_entry && !to->is_anonymous && !is_part)
		push_root(stack, counts, to);
	else
		push(stack, counts, last.context, from->last, 0, to);
}

static void do_return(const struct profile *profile, struct call_stack *stack, struct call_counts *counts,
		      const struct call_block *from, const struct call_block *to)
{
	if (stack->n_unfollowed) {
		stack->n_unfollowed--;
		return;
	}
	/* The caller may have fallen through from the frame's function into another one. jump() enters that
	 * function. */
	if (pop_to(stack, to->start_va) || to->is_entry)
		jump(profile, stack, counts, from, to);
	else if (!unwind_to(stack, to->function, false))
		push_root(stack, counts, to);
}

static void follow(const struct profile *profile, struct call_stack *stack, struct call_counts *counts,
		   const struct call_block *from, const struct call_block *to)
{
	switch ((enum call_transfer)from->transfer) {
	case TRANSFER_CALL:
		/* Code calls the next instruction to get the address of that instruction. This is not a function
		 * call. */
		if (to->start_va != from->end_va)
			push(stack, counts, top(stack)->context, from->last, from->end_va, to);
		else
			jump(profile, stack, counts, from, to);
		break;
	case TRANSFER_RETURN:
		do_return(profile, stack, counts, from, to);
		break;
	case TRANSFER_INDIRECT:
		if (to->function == top(stack)->function || !pop_to(stack, to->start_va))
			jump(profile, stack, counts, from, to);
		break;
	case TRANSFER_PLAIN:
		jump(profile, stack, counts, from, to);
		break;
	}
}

/* Keeps the stack of the previous visit if the function is on it. Otherwise starts a new stack. */
static void begin_visit(struct call_stack *stack, struct call_counts *counts, const struct call_block *to)
{
	if (stack->n_frames && unwind_to(stack, to->function, false)) {
		if (stack->n_frames == 1)
			counts->contexts[stack->frames[0].context].calls++;
		return;
	}
	push_root(stack, counts, to);
}

static void record_batch(struct call_recorder *recorder, struct profile *profile, struct call_stack *stack,
			 struct call_counts *counts, const struct stream_batch *batch)
{
	struct stream_cursor cursor = stream_begin(profile, batch);

	while (stream_next(&cursor)) {
		const struct call_block *from, *to;

		while (recorder->n_blocks <= cursor.block)
			add_block(recorder, profile);
		from = stack->previous == PROFILE_NONE ? NULL : &recorder->blocks[stack->previous];
		to = &recorder->blocks[cursor.block];
		if (!from)
			begin_visit(stack, counts, to);
		else if (from->transfer == TRANSFER_CALL || from->transfer == TRANSFER_RETURN ||
			 to->function != top(stack)->function)
			follow(profile, stack, counts, from, to);
		call_counts_add(counts, top(stack)->context, cursor.block);
		stack->previous = cursor.block;
	}
}

struct call_stack *call_recorder_stack(struct call_thread *thread, uint32_t region, uint32_t handlers)
{
	struct call_stack *stack;

	for (size_t i = 0; i < thread->n_stacks; i++)
		if (thread->stacks[i].region == region && thread->stacks[i].handlers == handlers)
			return &thread->stacks[i];
	stack = ARRAY_ADD(thread, stacks);
	stack->region = region;
	stack->handlers = handlers;
	stack->previous = stack->allocation_site = PROFILE_NONE;
	return stack;
}

struct call_thread *call_recorder_thread(struct call_recorder *recorder, uint32_t thread)
{
	while (recorder->n_threads <= thread)
		ARRAY_ADD(recorder, threads);
	return &recorder->threads[thread];
}

struct call_counts *call_recorder_counts(struct call_recorder *recorder, uint32_t region)
{
	while (recorder->n_counts <= region)
		ARRAY_ADD(recorder, counts);
	return &recorder->counts[region];
}

void call_recorder_add_batch(struct call_recorder *recorder, struct profile *profile, const struct stream_batch *batch)
{
	struct call_thread *thread = call_recorder_thread(recorder, batch->thread);
	bool left_handler = batch->handlers < thread->handlers;

	thread->n_batches++;
	for (size_t i = 0; i < batch->n_regions; i++) {
		struct call_stack *stack = call_recorder_stack(thread, batch->regions[i], batch->handlers);
		bool is_continuation = batch->is_continuation && stack->last_batch == thread->n_batches - 1;

		if (batch->handlers > thread->handlers)
			stack->n_frames = 0;
		if (!is_continuation && !left_handler)
			stack->previous = PROFILE_NONE;
		stack->last_batch = thread->n_batches;
		record_batch(recorder, profile, stack, call_recorder_counts(recorder, batch->regions[i]), batch);
	}
	thread->handlers = batch->handlers;
}

void call_recorder_finish(struct call_recorder *recorder, struct profile *profile)
{
	profile->has_calls = true;
	profile->has_memory = recorder->wants_memory;
	for (uint32_t i = 0; i < recorder->n_counts; i++) {
		struct profile_region *region = &profile->regions[i];

		if (recorder->counts[i].is_full)
			profile_note(
				profile,
				"the call tree of %s is cut at %zu calling contexts and a depth of %d: further calls "
				"count for their callers",
				region->name, CALL_CONTEXTS_MAX, PROFILE_MAX_CALL_DEPTH);
		call_counts_finish(&recorder->counts[i], profile, region);
	}
}
