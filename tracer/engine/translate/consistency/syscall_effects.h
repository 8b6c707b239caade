/* Keeps translated code consistent with what stepped system calls do. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SYSCALL_EFFECTS_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SYSCALL_EFFECTS_H

#include "engine/translate/translator.h"

/* The task stands at a system call that is to be stepped, with these registers. Returns true if translated code may
 * make the call after all: its effects on code were provided for in advance, and nobody needs to see its result. */
bool syscall_effects_apply_early(struct translator *translator, const struct target_regs *regs);

/* As backend_ops.after_syscall. */
void syscall_effects_apply(struct backend *backend, struct task *task, const struct target_regs *after);

/* Implements backend_ops.invalidate: all pages are compared before translated code is entered again. */
void syscall_effects_invalidate_all(struct backend *backend);

/* The program has these files open: from now on calls that write to its memory file or read its memory map are
 * stepped. */
void syscall_effects_on_open(struct translator *translator, struct proc_files files);

#endif
