/* Watches the functions that hand out memory: their arguments at the entry, what they return where they return to. */
#ifndef ITRACE_ENGINE_VISITS_ALLOCATIONS_H
#define ITRACE_ENGINE_VISITS_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;
struct target_regs;
struct task;

/* A call under way: the outermost one, as functions that hand out memory call each other. */
struct task_allocation {
	bool is_pending;
	uint32_t function;   /* index of allocation_symbols */
	uint64_t address_va; /* where posix_memalign leaves its result; 0: in RAX */
	uint64_t return_va, entry_rsp;
};

/* The symbols to watch, for trigger_request.allocators. */
const char *const *allocation_symbols(size_t *n_symbols);

/* The thread stands at the entry of allocation_symbols[function]. */
void allocation_begin(struct engine *engine, struct task *task, uint32_t function, const struct target_regs *regs);

/* The thread stands somewhere: maybe the call has returned. */
void allocation_end(struct engine *engine, struct task *task, const struct target_regs *regs);

#endif
