/* Watches the functions that hand out memory: their arguments at the entry, and their result at the return address. */
#ifndef ITRACE_ENGINE_VISITS_ALLOCATIONS_H
#define ITRACE_ENGINE_VISITS_ALLOCATIONS_H

#include "engine/run.h"

/* The symbols to watch, for trigger_request.allocators. */
const char *const *allocation_symbols(size_t *n_symbols);

/* The thread is at the entry of the function of allocation_symbols()[function]. */
void allocation_begin(struct engine *engine, struct task *task, uint32_t function, const struct target_regs *regs);

/* The thread is at regs->rip. Reports the pending call if it has returned there. */
void allocation_end(struct engine *engine, struct task *task, const struct target_regs *regs);

#endif
