/* Handles stops of threads in translated code. Afterwards the thread runs on in translated code, or has left it with
 * the program's registers and address. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONTEXTS_CACHE_EXITS_H
#define ITRACE_ENGINE_TRANSLATE_CONTEXTS_CACHE_EXITS_H

#include "engine/translate/translator.h"

/* These implement the functions of struct backend_ops. */
enum backend_outcome cache_exits_on_trap(struct translator *translator, struct task *task, struct target_regs *regs,
					 int *signal);
enum backend_outcome cache_exits_on_signal(struct translator *translator, struct task *task, struct target_regs *regs,
					   int *signal);
enum backend_outcome cache_exits_on_interrupt(struct translator *translator, struct task *task,
					      struct target_regs *regs, int *signal);
void cache_exits_on_exiting(struct translator *translator, struct task *task);

/* Returns true if the task must be interrupted so that better code can be made. */
bool cache_exits_on_tick(struct translator *translator, const struct task *task);

#endif
