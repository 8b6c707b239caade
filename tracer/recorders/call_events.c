/* Records system calls and allocations in the call tree. */
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

static void free_block(struct call_recorder *recorder, uint64_t va)
{
	for (size_t i = 0; i < recorder->n_counts; i++)
		call_memory_free(&recorder->counts[i].memory, va);
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
		memory->sites[stack->allocation_site].bytes += call_memory_free(memory, event->freed_va);
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
		free_block(recorder, stack->freed_va);
	if (event->result_va)
		call_memory_allocate(memory, site, event->result_va, stack->allocation_bytes);
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
		free_block(recorder, event->freed_va);
}

/* The kernel returns errors as -4095 to -1 (include/linux/err.h, MAX_ERRNO). */
static bool is_failure(uint64_t result)
{
	return result >= (uint64_t)-4095;
}

/* The effect of a system call on the address space: first a range is unmapped, then another range is mapped. */
struct mapping_change {
	enum profile_allocator allocator;
	uint64_t unmapped_va, unmapped_bytes, mapped_va, mapped_bytes;
};

/* Numbers of asm/unistd_64.h. */
enum { NUMBER_MMAP = 9, NUMBER_MUNMAP = 11, NUMBER_BRK = 12, NUMBER_MREMAP = 25 };

#define PAGE_BYTES 4096

/* Rounds up to whole pages. */
static uint64_t whole_pages(uint64_t bytes)
{
	return bytes > UINT64_MAX - PAGE_BYTES ? bytes : (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Returns false if the call changes no mapping. */
static bool decode_change(const struct call_recorder *recorder, const struct stream_syscall *call,
			  struct mapping_change *out)
{
	const uint64_t *arguments = call->arguments, result = call->result;
	uint64_t break_va = recorder->break_va ? recorder->break_va : result;

	if (call->is_int80 || is_failure(result))
		return false;
	switch (call->number) {
	case NUMBER_MMAP:
		*out = (struct mapping_change){ALLOCATOR_MMAP, 0, 0, result, arguments[1]};
		return true;
	case NUMBER_MUNMAP:
		*out = (struct mapping_change){ALLOCATOR_MUNMAP, arguments[0], whole_pages(arguments[1]), 0, 0};
		return true;
	case NUMBER_MREMAP:
		*out = (struct mapping_change){ALLOCATOR_MREMAP, arguments[0], whole_pages(arguments[1]), result,
					       arguments[2]};
		return true;
	case NUMBER_BRK:
		if (result > break_va)
			*out = (struct mapping_change){ALLOCATOR_BRK, 0, 0, break_va, result - break_va};
		else
			*out = (struct mapping_change){ALLOCATOR_BRK, result, break_va - result, 0, 0};
		return true;
	default:
		return false;
	}
}

static void unmap(struct call_recorder *recorder, uint64_t va, uint64_t bytes)
{
	for (size_t i = 0; i < recorder->n_counts && bytes > 0; i++) {
		struct call_memory *memory = &recorder->counts[i].memory;

		call_mappings_remove(&memory->mappings, memory->sites, va, bytes);
	}
}

/* Call this before the range is unmapped, because munmap counts the bytes that the region itself had mapped. */
static void count_change(struct call_recorder *recorder, struct call_stack *stack, const struct mapping_change *change)
{
	struct call_memory *memory = &call_recorder_counts(recorder, stack->region)->memory;
	uint32_t context, insn;

	stack->mapping_site = PROFILE_NONE;
	if (!find_caller(recorder, stack, &context, &insn))
		return;
	stack->mapping_site = call_memory_call(memory, context, insn, change->allocator);
	memory->sites[stack->mapping_site].bytes += change->mapped_bytes;
	if (change->allocator == ALLOCATOR_MUNMAP)
		memory->sites[stack->mapping_site].bytes += call_mappings_remove(&memory->mappings, memory->sites,
										 change->unmapped_va,
										 change->unmapped_bytes);
}

static void map(struct call_recorder *recorder, const struct call_stack *stack, const struct mapping_change *change)
{
	struct call_memory *memory = &call_recorder_counts(recorder, stack->region)->memory;

	if (stack->mapping_site != PROFILE_NONE && change->mapped_bytes > 0)
		call_mappings_add(&memory->mappings, memory->sites, stack->mapping_site, change->mapped_va,
				  change->mapped_bytes);
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
	struct mapping_change change;
	bool is_change = recorder->wants_memory && decode_change(recorder, call, &change);

	for (size_t i = 0; i < call->n_regions; i++) {
		struct call_stack *stack = call_recorder_stack(thread, call->regions[i], call->handlers);
		uint32_t syscall = find_syscall(&profile->regions[call->regions[i]], call);

		if (stack->previous != PROFILE_NONE && syscall != PROFILE_NONE)
			call_counts_add_syscall(call_recorder_counts(recorder, call->regions[i]),
						stack->frames[stack->n_frames - 1].context,
						recorder->blocks[stack->previous].last, syscall);
		if (is_change)
			count_change(recorder, stack, &change);
	}
	if (is_change) {
		unmap(recorder, change.unmapped_va, change.unmapped_bytes);
		/* A new mapping replaces older ones. */
		unmap(recorder, change.mapped_va, whole_pages(change.mapped_bytes));
	}
	for (size_t i = 0; i < call->n_regions && is_change; i++)
		map(recorder, call_recorder_stack(thread, call->regions[i], call->handlers), &change);
	if (call->number == NUMBER_BRK && !call->is_int80)
		recorder->break_va = call->result;
}
