/* Effects of system calls on code. */
#ifndef ITRACE_ENGINE_SYSCALLS_H
#define ITRACE_ENGINE_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target_regs;
struct thread;

/* True for calls after which an address may have other memory or another protection. */
bool syscalls_change_mappings(int64_t number);

/* The numbers of the calls that write to a file or change its size: [*n_numbers]. */
const uint16_t *syscalls_writing_files(size_t *n_numbers);

/* The descriptor that the call at these registers writes to, or -1. */
int syscalls_written_fd(const struct target_regs *before);

/* True when the call writes to a /proc/PID/mem, which leaves no trace in the memory map. */
bool syscalls_write_memory_file(const struct thread *thread, const struct target_regs *before);

/* True when a signal interrupted the thread in a system call that will be restarted. */
bool syscalls_is_interrupted(const struct target_regs *regs);

#endif
