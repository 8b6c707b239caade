/* Effects of system calls on code. */
#ifndef ITRACE_ENGINE_SYSCALLS_H
#define ITRACE_ENGINE_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping_list;
struct target_regs;
struct thread;

/* Returns true for a call that may change the memory or the protection at some address. */
bool syscalls_change_mappings(int64_t number);

/* Returns true if a SYSCALL instruction may have changed which code can be executed or written to. The registers
 * around it are `before` and `after`. `known`: the mappings before it; private non-executable ones may be missing. */
bool syscalls_may_change_code(const struct mapping_list *known, const struct target_regs *before,
			      const struct target_regs *after);

/* Returns true for a call that writes to a file or changes its size. */
bool syscalls_writes_file(uint64_t number);

/* Returns the descriptor that the call at these registers writes to, or -1. */
int syscalls_written_fd(const struct target_regs *before);

/* Returns true if the call writes to a /proc/PID/mem. The memory map does not show such writes. */
bool syscalls_write_memory_file(const struct thread *thread, const struct target_regs *before);

/* Returns true if a signal interrupted the thread in a system call that the kernel may restart. */
bool syscalls_is_interrupted(const struct target_regs *regs);

#endif
