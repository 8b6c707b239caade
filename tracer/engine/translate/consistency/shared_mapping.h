/* Code in shared memory, as of compilers that map it twice: to be written to, and to be executed. All pages through which the program can
 * write to it are guarded (guard.h), and what was translated from it is suspended when one of them is written to, or appears.
 *
 * Other processes could write to it, too: only memory without a name is translated, of a program that itrace started and that did not
 * fork, and not what it writes to through a file.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SHARED_MAPPING_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SHARED_MAPPING_H

#include "engine/translate/translator.h"

/* Makes that all writes to the code at va are seen, if it is in shared memory. False when it is not, or when they cannot be. */
bool alias_watch(struct translator *translator, struct thread *thread, uint64_t va);

/* Nobody enters code in this shared memory before its bytes were compared; inode 0: it is none. */
void alias_suspend(struct translator *translator, uint64_t inode, uint64_t offset_bytes);

/* The same for all code in a file. */
void alias_suspend_file(struct translator *translator, uint64_t inode);

/* From now on another process may write to shared memory. */
void alias_forget_all(struct translator *translator);

/* There is other memory in this range, or the same with another protection. */
void alias_heed_mappings(struct translator *translator, uint64_t start_va, uint64_t end_va);

/* The system call at task->before was made by a step: it may have written to shared memory through a file. */
void alias_after_syscall(struct translator *translator, const struct task *task);

#endif
