/* Notes for the user when the program itself wants to trace a process that itrace traces. Linux allows only one
 * tracer per process. */
#ifndef ITRACE_ENGINE_INNER_TRACERS_H
#define ITRACE_ENGINE_INNER_TRACERS_H

#include "engine/run.h"

/* The task stepped over the system call at task->before. */
void inner_tracers_note_syscall(struct engine *engine, const struct task *task, const struct target_regs *after);

/* The process is gone. LeakSanitizer traces the program when it ends, from a thread that no tracer sees. */
void inner_tracers_note_end(struct engine *engine);

#endif
