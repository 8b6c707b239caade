/* Code that the program may write to at any time: its pages are kept from being written to, in the program, while what was translated from
 * them may be entered. A write then faults, which the program never sees: the page becomes as it was, and nobody enters what was
 * translated from it before its bytes were compared.
 *
 * The kernel, writing to such a page for a system call, would fail instead of faulting: such calls are stepped, and pages that
 * they may write to become as they were before.
 *
 * Threads that are named are stopped, and make system calls for us.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_WRITE_PROTECT_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_WRITE_PROTECT_H

#include "engine/translate/translator.h"

/* Guards the code at va if it can be written to and that is worth it. */
void guard_code(struct translator *translator, struct thread *thread, uint64_t va);

/* Keeps the program from writing to a page, to which it gave this protection. False when that fails, or is not worth it now. */
bool guard_begin(struct translator *translator, struct thread *thread, struct code_page *page, int protection);

/* The thread is about to receive SIGSEGV: whether that is for a guard, which is gone now. */
bool guard_lift(struct translator *translator, struct thread *thread);
void guard_lift_all(struct translator *translator, struct thread *thread);

/* The thread is about to make this system call by a step. */
void guard_before_syscall(struct translator *translator, struct thread *thread, const struct target_regs *regs);

/* The program gave these pages another protection. */
void guard_forget_range(struct translator *translator, uint64_t start_va, uint64_t end_va);

#endif
