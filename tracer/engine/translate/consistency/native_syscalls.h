/* The system calls that translated code performs itself (AREA_SYSCALL_NATIVE). All others are stepped. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_NATIVE_SYSCALLS_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_NATIVE_SYSCALLS_H

#include "engine/translate/translator.h"

/* Chooses the native system calls, after the cache was mapped and after each change of the conditions: those of
 * struct code_changes, and map_files.are_watched. */
void native_syscalls_choose(struct translator *translator);

#endif
