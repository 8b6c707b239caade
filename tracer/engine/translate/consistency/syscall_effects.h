/* Keeps translated code consistent with the effects of stepped system calls. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SYSCALL_EFFECTS_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SYSCALL_EFFECTS_H

#include "engine/translate/translator.h"

/* The task is at a system call that would be stepped, with these registers. Returns true if translated code may make
 * the call instead: the effects of the call on code are applied already, and nobody needs its result. */
bool syscall_effects_apply_early(struct translator *translator, const struct target_regs *regs);

/* Has the arguments of backend_ops.after_syscall. */
void syscall_effects_apply(struct backend *backend, struct task *task, const struct target_regs *after);

/* Implements backend_ops.invalidate: all pages are compared before translated code is entered again. */
void syscall_effects_invalidate_all(struct backend *backend);

/* The program has these files open: from now on calls that write to its memory file or read its memory map are
 * stepped. */
void syscall_effects_on_open(struct translator *translator, struct proc_files files);

#endif
