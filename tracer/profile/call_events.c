/* What happens where a stack of calls stands: system calls, and memory that is asked for. */
#include "profile/calls_private.h"

/* Where the instruction stands that the stack executed last; a stub stands for who called it. False: nothing was. */
static bool find_caller(const struct call_builder *builder, const struct call_stack *stack, uint32_t *context,
			uint32_t *insn)
{
	const struct call_frame *frame;

	if (stack->previous == PROFILE_NONE)
		return false;
	frame = &stack->frames[stack->n_frames - 1];
	*context = frame->context;
	*insn = builder->facts[stack->previous].last;
	if (frame->is_stub && frame->parent != PROFILE_NONE) {
		*context = frame->parent;
		*insn = frame->site;
	}
	return true;
}

static void give_back(struct call_builder *builder, uint64_t va)
{
	for (size_t i = 0; i < builder->n_counts; i++)
		call_memory_give_back(&builder->counts[i].memory, va);
}

static void begin_allocation(struct call_builder *builder, struct call_stack *stack,
			     const struct stream_allocation *event)
{
	struct call_memory *memory = &call_builder_counts(builder, stack->region)->memory;
	uint32_t context, insn;

	stack->allocation_site = PROFILE_NONE;
	if (!find_caller(builder, stack, &context, &insn))
		return;
	stack->allocation_site = call_memory_call(memory, context, insn, event->allocator);
	stack->allocation_bytes = event->bytes;
	stack->freed_va = event->freed_va;
	if (profile_allocator_frees(event->allocator))
		memory->sites[stack->allocation_site].bytes += call_memory_give_back(memory, event->freed_va);
}

static void end_allocation(struct call_builder *builder, struct call_stack *stack,
			   const struct stream_allocation *event)
{
	struct call_memory *memory = &call_builder_counts(builder, stack->region)->memory;
	uint32_t site = stack->allocation_site;

	if (site == PROFILE_NONE || profile_allocator_frees(event->allocator))
		return;
	/* A realloc that fails leaves the block as it is, unless none was wanted. */
	if (stack->freed_va && (event->result_va || !stack->allocation_bytes))
		give_back(builder, stack->freed_va);
	if (event->result_va)
		call_memory_hand_out(memory, site, event->result_va, stack->allocation_bytes);
	stack->allocation_site = PROFILE_NONE;
}

void call_builder_add_allocation(struct call_builder *builder, const struct stream_allocation *event)
{
	struct call_thread *thread;

	if (event->has_returned) {
		thread = call_builder_thread(builder, event->thread);
		for (size_t i = 0; i < thread->n_stacks; i++)
			end_allocation(builder, &thread->stacks[i], event);
		return;
	}
	for (size_t i = 0; i < event->n_regions; i++) {
		thread = call_builder_thread(builder, event->thread);
		begin_allocation(builder, call_builder_stack(thread, event->regions[i], event->handlers), event);
	}
	/* What was handed out in one region may be given back in another, or outside all. */
	if (profile_allocator_frees(event->allocator))
		give_back(builder, event->freed_va);
}

/* The kernel's errors are from -4095 on (include/linux/err.h, MAX_ERRNO). */
static bool is_failure(uint64_t result)
{
	return result >= (uint64_t)-4095;
}

static void hand_out_by_kernel(struct call_builder *builder, struct call_stack *stack,
			       const struct stream_syscall *call, enum profile_allocator allocator, uint64_t bytes)
{
	struct call_memory *memory = &call_builder_counts(builder, stack->region)->memory;
	uint32_t context, insn, site;

	if (!find_caller(builder, stack, &context, &insn))
		return;
	site = call_memory_call(memory, context, insn, allocator);
	if (allocator == ALLOCATOR_MUNMAP) {
		memory->sites[site].bytes += call_memory_give_back(memory, call->arguments[0]);
		return;
	}
	if (bytes)
		call_memory_hand_out(memory, site, call->result - (allocator == ALLOCATOR_BRK ? bytes : 0), bytes);
}

/* Numbers of asm/unistd_64.h. */
enum { NUMBER_MMAP = 9, NUMBER_MUNMAP = 11, NUMBER_BRK = 12 };

static void add_kernel_memory(struct call_builder *builder, struct call_stack *stack, const struct stream_syscall *call)
{
	if (call->is_int80 || is_failure(call->result))
		return;
	switch (call->number) {
	case NUMBER_MMAP:
		hand_out_by_kernel(builder, stack, call, ALLOCATOR_MMAP, call->arguments[1]);
		break;
	case NUMBER_MUNMAP:
		hand_out_by_kernel(builder, stack, call, ALLOCATOR_MUNMAP, 0);
		break;
	case NUMBER_BRK:
		hand_out_by_kernel(builder, stack, call, ALLOCATOR_BRK,
				   builder->break_va && call->result > builder->break_va
					   ? call->result - builder->break_va
					   : 0);
		break;
	default:
		break;
	}
}

/* Regions have few kinds of them. */
static uint32_t find_syscall(const struct profile_region *region, const struct stream_syscall *call)
{
	for (uint32_t i = 0; i < region->n_syscalls; i++)
		if (region->syscalls[i].number == call->number && region->syscalls[i].is_int80 == call->is_int80)
			return i;
	return PROFILE_NONE;
}

void call_builder_add_syscall(struct call_builder *builder, struct profile *profile, const struct stream_syscall *call)
{
	struct call_thread *thread = call_builder_thread(builder, call->thread);

	for (size_t i = 0; i < call->n_regions; i++) {
		struct call_stack *stack = call_builder_stack(thread, call->regions[i], call->handlers);
		uint32_t syscall = find_syscall(&profile->regions[call->regions[i]], call);

		if (stack->previous != PROFILE_NONE && syscall != PROFILE_NONE)
			call_counts_add_syscall(call_builder_counts(builder, call->regions[i]),
						stack->frames[stack->n_frames - 1].context,
						builder->facts[stack->previous].last, syscall);
		if (builder->wants_memory)
			add_kernel_memory(builder, stack, call);
	}
	if (call->number == NUMBER_BRK && !call->is_int80)
		builder->break_va = call->result;
}
