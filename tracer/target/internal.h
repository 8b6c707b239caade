/* Shared between the files of target/ only. */
#ifndef ITRACE_TARGET_INTERNAL_H
#define ITRACE_TARGET_INTERNAL_H

#include <signal.h>
#include <stdio.h>

#include "target/target.h"

#define INT3 0xcc

/* A stop that is not reported yet. */
struct early_stop {
	pid_t tid;
	int wait_status;
};

/* The options of PTRACE_SEIZE, except PTRACE_O_EXITKILL, which only launched programs get. */
#define SEIZE_OPTIONS                                                                               \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE | \
	 PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESYSGOOD)
#define SYSCALL_STOP (SIGTRAP | 0x80) /* with PTRACE_O_TRACESYSGOOD */

/* Returns true if a step ended or a breakpoint was hit while an interruption stopped the thread. The pending SIGTRAP
 * arrives after the next resume. */
bool thread_has_trap_pending(const struct thread *thread);

/* Ends thread_postpone_signals(). */
void thread_end_postponement(struct thread *thread);
/* Ends thread_postpone_signals() if this stop is due to end it. */
void thread_check_postponement(struct thread *thread, int wait_status);

/* Keeps a stop of a thread that its caller did not expect, for target_wait. */
void target_keep_stop(struct target *target, struct thread *thread, int wait_status);

/* Resumes the thread in the mode of its last resume, with `signal` (0: none). */
void thread_restart(struct thread *thread, int signal);

struct process *target_add_process(struct target *target, pid_t pid);
struct thread *target_add_thread(struct target *target, struct process *process, pid_t tid);
struct thread *target_find_thread(struct target *target, pid_t tid); /* NULL if there is none */

/* Exec gives the calling thread the ID of the thread-group leader. */
void target_rename_thread(struct target *target, struct thread *thread, pid_t tid);

/* Removes a thread from the list, without freeing it. The last thread of a process also removes the process, except
 * the first process, whose exit status can still be read. */
void target_remove_thread(struct target *target, struct thread *thread);
void target_free_thread(struct target *target, struct thread *thread);

/* After the thread has stopped: replants the breakpoint that it stepped over and resumes the other threads. */
void thread_end_step_over(struct target *target, struct thread *thread);

void process_destroy(struct process *process);

/* Opens the memory of a new process, or of its new program after exec. The memory has no breakpoints. */
bool process_reopen_memory(struct process *process);

/* Removes an int3 for a single step over its instruction, and writes it again. */
void process_lift_breakpoint(struct process *process, const struct breakpoint *breakpoint);
void process_replant_breakpoint(struct process *process, uint64_t va);

/* Restores the original bytes in a forked child's copy of the memory. */
void process_restore_copy(const struct process *process, pid_t child);

/* Restores the original bytes where the memory (/proc/PID/mem) still has an int3. */
void breakpoints_restore(int memory_fd, const struct breakpoint *breakpoints, size_t n_breakpoints);

/* Explains why ptrace was refused on `pid`: yama, seccomp, another tracer, or capabilities. */
bool target_explain_refusal(pid_t pid, int errno_value, struct error *err);

/* Opens /proc/PID/NAME for reading; `format` gives NAME. NULL and errno on failure. */
FILE *proc_open(pid_t pid, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads the value of a "Name:\tvalue" line of /proc/PID/status. Returns false if there is none. */
bool proc_status_field(pid_t pid, const char *field, char *value, size_t value_bytes);

/* Returns the flags of a task as Linux keeps them (/proc/PID/stat, field 9). Returns 0 if there is no such process. */
unsigned proc_flags(pid_t pid);

#endif
