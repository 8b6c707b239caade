/* Shared between the files of target/ only. */
#ifndef ITRACE_TARGET_INTERNAL_H
#define ITRACE_TARGET_INTERNAL_H

#include "target/target.h"

/* A stop that cannot be reported yet. */
struct early_stop {
	pid_t tid;
	int wait_status;
};

struct thread *target_add_thread(struct target *target, struct process *process, pid_t tid);

/* The thread stopped: puts back the breakpoint that it stepped over and lets the others go on. */
void thread_end_step_over(struct target *target, struct thread *thread);

struct process *process_create(pid_t pid);
void process_destroy(struct process *process);

/* After exec: another address space behind the same process. */
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

#endif
