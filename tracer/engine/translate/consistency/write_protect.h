/* Write-protects pages of the program that it may write to and that have translated code. A write then faults. The
 * program does not see the fault: the page gets the program's protection back, and the code is suspended.
 *
 * A system call that writes to such a page would fail. Therefore calls that may write to memory are stepped from then
 * on, and the pages that they may write to are unprotected before. A call that would prevent itrace from unprotecting
 * pages later unprotects all pages.
 *
 * The threads passed to these functions are stopped and make system calls for itrace.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_WRITE_PROTECT_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_WRITE_PROTECT_H

#include "engine/translate/translator.h"

/* Protects the code at va if the program can write to it and protection is possible and worthwhile. */
void write_protect_code(struct translator *translator, struct thread *thread, uint64_t va);

/* The thread is about to receive SIGSEGV. Returns true if a protected page was the cause. The page is then
 * unprotected. */
bool write_protect_on_fault(struct translator *translator, struct thread *thread);

void write_protect_lift_all(struct translator *translator, struct thread *thread);

/* The task is about to make the system call at task->before by a step. */
void write_protect_before_syscall(struct translator *translator, const struct task *task);

/* The program itself changed the protection of these pages. */
void write_protect_forget_range(struct translator *translator, uint64_t start_va, uint64_t end_va);

#endif
