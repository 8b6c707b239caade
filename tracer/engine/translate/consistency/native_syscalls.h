/* The system calls that translated code performs itself (AREA_SYSCALL_NATIVE). All others are stepped. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_NATIVE_SYSCALLS_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_NATIVE_SYSCALLS_H

#include "engine/translate/translator.h"

/* Chooses the native system calls, after the cache was mapped. */
void native_syscalls_choose(struct translator *translator);

/* Each function makes further calls stepped from now on: the calls that write to the program's memory; those that
 * write to files; rt_sigprocmask. */
void native_syscalls_disable_writing(struct translator *translator);
void native_syscalls_disable_file_writes(struct translator *translator);
void native_syscalls_disable_sigmask(struct translator *translator);

/* Says if read and pread64 are stepped, for map_files.h. */
void native_syscalls_step_reads(struct translator *translator, bool are_stepped);

#endif
