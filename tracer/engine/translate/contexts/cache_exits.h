/* Stops of threads in translated code. The thread goes on there, or stands where the program would, with all
 * registers the program's. */
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

/* True when the task is to be interrupted, so that better code can be made. */
bool cache_exits_on_tick(struct translator *translator, const struct task *task);

#endif
