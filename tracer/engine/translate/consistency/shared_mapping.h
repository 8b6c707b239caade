/* Code in shared memory. JIT compilers map it twice: to write to it, and to execute it. itrace write-protects all
 * pages through which the program can write to the memory. It suspends the code translated from the memory when the
 * program writes to one of these pages, or when another writable mapping appears.
 *
 * Other processes could write to the memory, too. So only memory without a name is watched, in a program that itrace
 * started and that did not fork. Other code in shared memory compares its bytes (emit/emit_check.h).
 */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SHARED_MAPPING_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SHARED_MAPPING_H

#include "engine/translate/translator.h"

/* Returns true if only this process can write to the memory of a shared mapping. */
bool shared_mapping_is_private(const struct translator *translator, const struct mapping *mapping);

/* Suspends the watched code in a page of shared memory. Does nothing for inode 0. */
void shared_mapping_suspend(struct translator *translator, uint64_t inode, uint64_t offset_bytes);

/* Another process may write to shared memory from now on. None of it is watched any more. */
void shared_mapping_on_fork(struct translator *translator);

/* The range got another mapping or another protection. */
void shared_mapping_on_remap(struct translator *translator, uint64_t start_va, uint64_t end_va);

/* The system call at task->before was stepped: it may have written to shared memory through a file. */
void shared_mapping_after_syscall(struct translator *translator, const struct task *task);

#endif
