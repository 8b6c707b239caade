/* Write-protects pages, in the program, whose translated code the program may write to. A write then faults, which
 * the program never sees: the page gets its own protection back, and the code is suspended.
 *
 * A system call that writes to such a page would fail instead. So those calls are stepped from then on, and pages
 * that they may write to are unprotected before. Calls that would make it impossible to unprotect pages later
 * unprotect all.
 *
 * The threads passed are stopped; they make system calls for itrace.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_WRITE_PROTECT_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_WRITE_PROTECT_H

#include "engine/translate/translator.h"

/* Protects a page to which the program gave this protection. False when that fails, or when the page was written too
 * often lately. */
bool write_protect_page(struct translator *translator, struct thread *thread, struct code_page *page, int protection);

/* The thread is about to receive SIGSEGV. True when a protected page was the cause; it is unprotected then. */
bool write_protect_on_fault(struct translator *translator, struct thread *thread);

void write_protect_lift_all(struct translator *translator, struct thread *thread);

/* The thread is about to be stepped over a system call. */
void write_protect_before_syscall(struct translator *translator, struct thread *thread, const struct target_regs *regs);

/* The program itself gave these pages another protection. */
void write_protect_forget_range(struct translator *translator, uint64_t start_va, uint64_t end_va);

#endif
