/* Shared between the files of target/ only. */
#ifndef ITRACE_TARGET_INTERNAL_H
#define ITRACE_TARGET_INTERNAL_H

#include <signal.h>

#include "target/target.h"

#define INT3 0xcc

/* A stop that cannot be reported yet. */
struct early_stop {
	pid_t tid;
	int wait_status;
};

/* The options of PTRACE_SEIZE but PTRACE_O_EXITKILL, which is for launched programs. */
#define SEIZE_OPTIONS                                                                               \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE | \
	 PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESYSGOOD)
#define SYSCALL_STOP (SIGTRAP | 0x80) /* with PTRACE_O_TRACESYSGOOD */

/* A step ended, or a breakpoint was met, when an interruption stopped the thread; the SIGTRAP that says so comes when it goes on. */
bool thread_has_trap_pending(const struct thread *thread);

/* Lets it go on as it was resumed last. */
void thread_restart(struct thread *thread);

struct process *target_add_process(struct target *target, pid_t pid);
struct thread *target_add_thread(struct target *target, struct process *process, pid_t tid);
struct thread *target_find_thread(struct target *target, pid_t tid); /* NULL: none */

/* Takes a thread off the list, which is to be freed then: with its process, if it was the last thread of another one than the first,
 * which stays for its end to be told. */
void target_remove_thread(struct target *target, struct thread *thread);
void target_free_thread(struct target *target, struct thread *thread);

/* The thread stopped: puts back the breakpoint that it stepped over and lets the others go on. */
void thread_end_step_over(struct target *target, struct thread *thread);

void process_destroy(struct process *process);

/* At first and after exec: the address space behind the process, without breakpoints. */
bool process_reopen_memory(struct process *process);

/* Takes an int3 away for a single step over it, and puts it back. */
void process_lift_breakpoint(struct process *process, const struct breakpoint *breakpoint);
void process_replant_breakpoint(struct process *process, uint64_t va);

/* Writes all original bytes into a forked child's copy. */
void process_restore_copy(const struct process *process, pid_t child);

/* Explains why ptrace was refused on `pid`, from yama, seccomp, an existing tracer or capabilities. */
bool target_explain_refusal(pid_t pid, int errno_value, struct error *err);

/* The value of a "Name:\tvalue" line of /proc/PID/status; false when absent. */
bool proc_status_field(pid_t pid, const char *field, char *value, size_t value_bytes);

/* The flags of a task as Linux keeps them (/proc/PID/stat, field 9); 0 when there is no such process. */
unsigned proc_flags(pid_t pid);

#endif
