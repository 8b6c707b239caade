/* System calls that are stepped. */
#ifndef ITRACE_ENGINE_STEP_STEPPED_SYSCALL_H
#define ITRACE_ENGINE_STEP_STEPPED_SYSCALL_H

#include "engine/run.h"

/* Returns true if the instruction makes a system call: SYSCALL, SYSENTER or int 0x80. */
bool stepped_syscall_is(const struct code_site *site);
bool stepped_syscall_is_int80(const struct code_site *site);

/* The task is stopped before the system call. */
bool stepped_syscall_is_sigreturn(const struct task *task);
int64_t stepped_syscall_number(const struct task *task);

/* The thread is about to make the call. Returns false if the call must wait (backend.h). */
bool stepped_syscall_prepare(struct engine *engine, struct task *task);

/* The thread stopped after stepped_syscall_prepare(), or during the step. Restores the signal mask that sigreturn
 * takes, now or soon (thread_postpone_signals). is_trap: the end of the step stopped the thread. */
void stepped_syscall_end_sigreturn(struct task *task, const struct target_regs *after, bool is_trap);

/* Notes that a signal is about to be delivered, to find timers that are faster than itrace. */
void stepped_syscall_note_signal(struct task *task, int signal);

/* Returns true if the call sees or inherits the thread's affinity. */
bool stepped_syscall_sees_affinity(const struct task *task);

/* Returns true if the call may end with SIGTRAP blocked. A call that waits with a signal mask keeps that mask if a
 * signal interrupts it, until the signal's handler is entered. */
bool stepped_syscall_may_block_sigtrap(uint64_t number);

/* Counts a call that was made in the task's regions, and calls after_syscall() of all backends. */
void stepped_syscall_count(struct engine *engine, struct task *task, const struct target_regs *after);

#endif
