/* The system calls that translated code performs itself (AREA_SYSCALL_NATIVE). All others are stepped. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_NATIVE_SYSCALLS_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_NATIVE_SYSCALLS_H

#include "engine/translate/translator.h"

/* The cache was mapped: chooses the system calls. */
void native_syscalls_choose(struct translator *translator);

/* From now on these are stepped: those that write to the program's memory; those that write to files;
 * rt_sigprocmask. */
void native_syscalls_disable_writing(struct translator *translator);
void native_syscalls_disable_file_writes(struct translator *translator);
void native_syscalls_disable_sigmask(struct translator *translator);

/* Sets whether read and pread64 are stepped, for map_files.h. */
void native_syscalls_step_reads(struct translator *translator, bool are_stepped);

#endif
