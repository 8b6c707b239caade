#include "engine/visits/allocations.h"

#include "base/array.h"
#include "engine/visits/batches.h"

/* bytes, items and block are argument numbers, from 1: of the size, of a factor of the size, and of the block to
 * free; 0: no such argument. */
static const struct allocator {
	const char *symbol;
	enum profile_allocator kind;
	uint8_t bytes, items, block;
	bool stores_result; /* the function writes its result to the address in the first argument */
} allocators[] = {
	{"malloc", ALLOCATOR_MALLOC, 1, 0, 0, false},
	{"calloc", ALLOCATOR_CALLOC, 2, 1, 0, false},
	{"realloc", ALLOCATOR_REALLOC, 2, 0, 1, false},
	{"reallocarray", ALLOCATOR_REALLOC, 3, 2, 1, false},
	{"memalign", ALLOCATOR_ALIGNED, 2, 0, 0, false},
	{"aligned_alloc", ALLOCATOR_ALIGNED, 2, 0, 0, false},
	{"valloc", ALLOCATOR_ALIGNED, 1, 0, 0, false},
	{"pvalloc", ALLOCATOR_ALIGNED, 1, 0, 0, false},
	{"posix_memalign", ALLOCATOR_ALIGNED, 3, 0, 0, true},
	{"free", ALLOCATOR_FREE, 0, 0, 1, false},
	/* operator new and new[]: plain, nothrow, aligned, both */
	{"_Znwm", ALLOCATOR_NEW, 1, 0, 0, false},
	{"_Znam", ALLOCATOR_NEW, 1, 0, 0, false},
	{"_ZnwmRKSt9nothrow_t", ALLOCATOR_NEW, 1, 0, 0, false},
	{"_ZnamRKSt9nothrow_t", ALLOCATOR_NEW, 1, 0, 0, false},
	{"_ZnwmSt11align_val_t", ALLOCATOR_NEW, 1, 0, 0, false},
	{"_ZnamSt11align_val_t", ALLOCATOR_NEW, 1, 0, 0, false},
	{"_ZnwmSt11align_val_tRKSt9nothrow_t", ALLOCATOR_NEW, 1, 0, 0, false},
	{"_ZnamSt11align_val_tRKSt9nothrow_t", ALLOCATOR_NEW, 1, 0, 0, false},
	/* operator delete and delete[]: plain, with a size, aligned, both */
	{"_ZdlPv", ALLOCATOR_DELETE, 0, 0, 1, false},
	{"_ZdaPv", ALLOCATOR_DELETE, 0, 0, 1, false},
	{"_ZdlPvm", ALLOCATOR_DELETE, 0, 0, 1, false},
	{"_ZdaPvm", ALLOCATOR_DELETE, 0, 0, 1, false},
	{"_ZdlPvSt11align_val_t", ALLOCATOR_DELETE, 0, 0, 1, false},
	{"_ZdaPvSt11align_val_t", ALLOCATOR_DELETE, 0, 0, 1, false},
	{"_ZdlPvmSt11align_val_t", ALLOCATOR_DELETE, 0, 0, 1, false},
	{"_ZdaPvmSt11align_val_t", ALLOCATOR_DELETE, 0, 0, 1, false},
};

const char *const *allocation_symbols(size_t *n_symbols)
{
	static const char *symbols[ARRAY_LENGTH(allocators)];

	for (size_t i = 0; i < ARRAY_LENGTH(allocators); i++)
		symbols[i] = allocators[i].symbol;
	*n_symbols = ARRAY_LENGTH(allocators);
	return symbols;
}

/* Returns one of the first three integer arguments (System V ABI for AMD64, 3.2.3), numbered from 1. */
static uint64_t argument(const struct target_regs *regs, uint8_t number)
{
	const uint64_t arguments[] = {0, regs->rdi, regs->rsi, regs->rdx};

	return arguments[number];
}

static void notify(struct engine *engine, struct task *task, struct stream_allocation *event)
{
	const struct trace_stream *listener = engine->plan->stream;

	batches_flush(engine, task);
	event->thread = task->batch.thread;
	event->handlers = (uint32_t)task->n_handlers;
	event->regions = task->counting;
	event->n_regions = task->n_counting;
	listener->on_allocation(listener->context, engine->profile, event);
}

void allocation_begin(struct engine *engine, struct task *task, uint32_t function, const struct target_regs *regs)
{
	const struct allocator *allocator = &allocators[function];
	struct task_allocation *pending = &task->allocation;
	struct stream_allocation event = {.allocator = allocator->kind, .freed_va = argument(regs, allocator->block)};
	uint64_t return_va;

	if (process_read(task->thread->process, regs->rsp, &return_va, sizeof(return_va)) != sizeof(return_va))
		return;
	/* If the pending function is still active, it called or jumped to this one. Otherwise an exception left it. */
	if (pending->is_pending &&
	    (regs->rsp < pending->entry_rsp || (regs->rsp == pending->entry_rsp && return_va == pending->return_va)))
		return;
	pending->is_pending = false;
	event.bytes = argument(regs, allocator->bytes);
	if (allocator->items && __builtin_mul_overflow(event.bytes, argument(regs, allocator->items), &event.bytes))
		event.bytes = 0;
	/* Outside all regions only calls that free blocks matter. */
	if (!task->n_counting && !allocator->block)
		return;
	pending->is_pending = task->n_counting > 0;
	pending->return_va = return_va;
	pending->function = function;
	pending->entry_rsp = regs->rsp;
	pending->address_va = allocator->stores_result ? regs->rdi : 0;
	notify(engine, task, &event);
}

void allocation_end(struct engine *engine, struct task *task, const struct target_regs *regs)
{
	struct task_allocation *pending = &task->allocation;
	struct stream_allocation event = {.has_returned = true, .result_va = regs->rax};

	if (!pending->is_pending || regs->rip != pending->return_va || regs->rsp != pending->entry_rsp + 8)
		return;
	pending->is_pending = false;
	event.allocator = allocators[pending->function].kind;
	if (pending->address_va &&
	    (regs->rax || process_read(task->thread->process, pending->address_va, &event.result_va,
				       sizeof(event.result_va)) != sizeof(event.result_va)))
		event.result_va = 0;
	notify(engine, task, &event);
}
