/* Handles stops of threads in translated code. Afterwards the thread runs on in translated code, or has left it with
 * the program's registers and address. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONTEXTS_CACHE_EXITS_H
#define ITRACE_ENGINE_TRANSLATE_CONTEXTS_CACHE_EXITS_H

#include "engine/translate/translator.h"

/* These implement the functions of struct backend_ops. */
enum backend_outcome cache_exits_on_trap(struct backend *backend, struct task *task, struct target_regs *regs,
					 int *signal);
enum backend_outcome cache_exits_on_signal(struct backend *backend, struct task *task, struct target_regs *regs,
					   int *signal);
enum backend_outcome cache_exits_on_interrupt(struct backend *backend, struct task *task, struct target_regs *regs,
					      int *signal);
void cache_exits_on_exiting(struct backend *backend, struct task *task);
bool cache_exits_on_tick(struct backend *backend, const struct task *task);

#endif
