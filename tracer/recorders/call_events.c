/* Records system calls and allocations at their place in the call tree. */
#include "recorders/calls_private.h"

/* Finds the caller of the last executed instruction. A PLT stub counts as its caller. Returns false if nothing was
 * executed. */
static bool find_caller(const struct call_recorder *recorder, const struct call_stack *stack, uint32_t *context,
			uint32_t *insn)
{
	const struct call_frame *frame;

	if (stack->previous == PROFILE_NONE)
		return false;
	frame = &stack->frames[stack->n_frames - 1];
	*context = frame->context;
	*insn = recorder->blocks[stack->previous].last;
	if (frame->is_stub && frame->parent != PROFILE_NONE) {
		*context = frame->parent;
		*insn = frame->site;
	}
	return true;
}

static void give_back(struct call_recorder *recorder, uint64_t va)
{
	for (size_t i = 0; i < recorder->n_counts; i++)
		call_memory_give_back(&recorder->counts[i].memory, va);
}

static void begin_allocation(struct call_recorder *recorder, struct call_stack *stack,
			     const struct stream_allocation *event)
{
	struct call_memory *memory = &call_recorder_counts(recorder, stack->region)->memory;
	uint32_t context, insn;

	stack->allocation_site = PROFILE_NONE;
	if (!find_caller(recorder, stack, &context, &insn))
		return;
	stack->allocation_site = call_memory_call(memory, context, insn, event->allocator);
	stack->allocation_bytes = event->bytes;
	stack->freed_va = event->freed_va;
	if (profile_allocator_frees(event->allocator))
		memory->sites[stack->allocation_site].bytes += call_memory_give_back(memory, event->freed_va);
}

static void end_allocation(struct call_recorder *recorder, struct call_stack *stack,
			   const struct stream_allocation *event)
{
	struct call_memory *memory = &call_recorder_counts(recorder, stack->region)->memory;
	uint32_t site = stack->allocation_site;

	if (site == PROFILE_NONE || profile_allocator_frees(event->allocator))
		return;
	/* A failed realloc keeps the block, unless the size was zero. */
	if (stack->freed_va && (event->result_va || !stack->allocation_bytes))
		give_back(recorder, stack->freed_va);
	if (event->result_va)
		call_memory_hand_out(memory, site, event->result_va, stack->allocation_bytes);
	stack->allocation_site = PROFILE_NONE;
}

void call_recorder_add_allocation(struct call_recorder *recorder, const struct stream_allocation *event)
{
	struct call_thread *thread;

	if (event->has_returned) {
		thread = call_recorder_thread(recorder, event->thread);
		for (size_t i = 0; i < thread->n_stacks; i++)
			end_allocation(recorder, &thread->stacks[i], event);
		return;
	}
	for (size_t i = 0; i < event->n_regions; i++) {
		thread = call_recorder_thread(recorder, event->thread);
		begin_allocation(recorder, call_recorder_stack(thread, event->regions[i], event->handlers), event);
	}
	/* A block allocated in one region may be freed in another or outside all. */
	if (profile_allocator_frees(event->allocator))
		give_back(recorder, event->freed_va);
}

/* The kernel's errors are from -4095 on (include/linux/err.h, MAX_ERRNO). */
static bool is_failure(uint64_t result)
{
	return result >= (uint64_t)-4095;
}

/* Effect of a system call on the address space: it unmaps a range, then maps one. */
struct kernel_memory {
	enum profile_allocator allocator;
	uint64_t taken_va, taken_bytes, given_va, given_bytes;
};

/* Numbers of asm/unistd_64.h. */
enum { NUMBER_MMAP = 9, NUMBER_MUNMAP = 11, NUMBER_BRK = 12, NUMBER_MREMAP = 25 };

#define PAGE_BYTES 4096

/* Rounds up to whole pages. */
static uint64_t whole_pages(uint64_t bytes)
{
	return bytes > UINT64_MAX - PAGE_BYTES ? bytes : (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Returns false if the call has no effect. */
static bool read_kernel_memory(const struct call_recorder *recorder, const struct stream_syscall *call,
			       struct kernel_memory *memory)
{
	const uint64_t *arguments = call->arguments;
	uint64_t break_va = recorder->break_va ? recorder->break_va : call->result;

	if (call->is_int80 || is_failure(call->result))
		return false;
	*memory = (struct kernel_memory){0};
	switch (call->number) {
	case NUMBER_MMAP:
		*memory = (struct kernel_memory){ALLOCATOR_MMAP, 0, 0, call->result, arguments[1]};
		return true;
	case NUMBER_MUNMAP:
		*memory = (struct kernel_memory){ALLOCATOR_MUNMAP, arguments[0], whole_pages(arguments[1]), 0, 0};
		return true;
	case NUMBER_MREMAP:
		*memory = (struct kernel_memory){ALLOCATOR_MREMAP, arguments[0], whole_pages(arguments[1]),
						 call->result, arguments[2]};
		return true;
	case NUMBER_BRK:
		memory->allocator = ALLOCATOR_BRK;
		if (call->result > break_va)
			*memory = (struct kernel_memory){ALLOCATOR_BRK, 0, 0, break_va, call->result - break_va};
		else
			*memory = (struct kernel_memory){ALLOCATOR_BRK, call->result, break_va - call->result, 0, 0};
		return true;
	default:
		return false;
	}
}

/* Unmaps a range in all regions. */
static void take(struct call_recorder *recorder, uint64_t va, uint64_t bytes)
{
	for (size_t i = 0; i < recorder->n_counts && bytes > 0; i++) {
		struct call_memory *memory = &recorder->counts[i].memory;

		call_mappings_remove(&memory->mappings, memory->sites, va, bytes);
	}
}

/* Must run before the range is unmapped: the bytes that a call returns are those that the region itself got. */
static void count_kernel_memory(struct call_recorder *recorder, struct call_stack *stack,
				const struct kernel_memory *change)
{
	struct call_memory *memory = &call_recorder_counts(recorder, stack->region)->memory;
	uint32_t context, insn;

	stack->kernel_site = PROFILE_NONE;
	if (!find_caller(recorder, stack, &context, &insn))
		return;
	stack->kernel_site = call_memory_call(memory, context, insn, change->allocator);
	memory->sites[stack->kernel_site].bytes += change->given_bytes;
	if (change->allocator == ALLOCATOR_MUNMAP)
		memory->sites[stack->kernel_site].bytes += call_mappings_remove(&memory->mappings, memory->sites,
										change->taken_va, change->taken_bytes);
}
static void give(struct call_recorder *recorder, const struct call_stack *stack, const struct kernel_memory *change)
{
	struct call_memory *memory = &call_recorder_counts(recorder, stack->region)->memory;

	if (stack->kernel_site != PROFILE_NONE && change->given_bytes > 0)
		call_mappings_add(&memory->mappings, memory->sites, stack->kernel_site, change->given_va,
				  change->given_bytes);
}

/* A linear search suffices: regions have few kinds of system calls. */
static uint32_t find_syscall(const struct profile_region *region, const struct stream_syscall *call)
{
	for (uint32_t i = 0; i < region->n_syscalls; i++)
		if (region->syscalls[i].number == call->number && region->syscalls[i].is_int80 == call->is_int80)
			return i;
	return PROFILE_NONE;
}

void call_recorder_add_syscall(struct call_recorder *recorder, struct profile *profile,
			       const struct stream_syscall *call)
{
	struct call_thread *thread = call_recorder_thread(recorder, call->thread);
	struct kernel_memory change;
	bool is_change = recorder->wants_memory && read_kernel_memory(recorder, call, &change);

	for (size_t i = 0; i < call->n_regions; i++) {
		struct call_stack *stack = call_recorder_stack(thread, call->regions[i], call->handlers);
		uint32_t syscall = find_syscall(&profile->regions[call->regions[i]], call);

		if (stack->previous != PROFILE_NONE && syscall != PROFILE_NONE)
			call_counts_add_syscall(call_recorder_counts(recorder, call->regions[i]),
						stack->frames[stack->n_frames - 1].context,
						recorder->blocks[stack->previous].last, syscall);
		if (is_change)
			count_kernel_memory(recorder, stack, &change);
	}
	if (is_change) {
		take(recorder, change.taken_va, change.taken_bytes);
		take(recorder, change.given_va, whole_pages(change.given_bytes));
	}
	for (size_t i = 0; i < call->n_regions && is_change; i++)
		give(recorder, call_recorder_stack(thread, call->regions[i], call->handlers), &change);
	if (call->number == NUMBER_BRK && !call->is_int80)
		recorder->break_va = call->result;
}
