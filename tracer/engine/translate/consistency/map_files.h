/* Hides the code cache from a program that reads its own memory map (map_file.h). */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_MAP_FILES_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_MAP_FILES_H

#include "engine/translate/translator.h"

/* Implements backend_ops.filter_syscall: if the call read such a file, replaces the bytes in the program's memory and
 * the result in *after. */
void map_files_filter_read(struct backend *backend, struct task *task, struct target_regs *after);

/* Forgets all open files: the process executes another program. */
void map_files_forget(struct translator *translator);

#endif
