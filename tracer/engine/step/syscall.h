/* System calls that are stepped: what is counted of them, and what they mean for code. Private to step/. */
#ifndef ITRACE_ENGINE_STEP_SYSCALL_H
#define ITRACE_ENGINE_STEP_SYSCALL_H

#include "engine/task.h"

bool syscall_is(const struct code_site *site);
bool syscall_is_int80(const struct code_site *site);
bool syscall_is_sigreturn(const struct task *task);

/* Of the one that the task was stopped before. */
int64_t syscall_number(const struct task *task);

/* It was made: counts it in the task's regions, and lets all know whose code or handlers it may have changed. */
void syscall_count(struct engine *engine, struct task *task, const struct target_regs *after);

#endif
