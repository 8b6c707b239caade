/* The traced program: its processes, threads, memory and breakpoints. Only this folder calls ptrace and waitpid.
 *
 * All threads of the program are seized. The caller waits for one stop at a time and resumes the stopped thread. A
 * forked child gets its original code bytes back. The child is then detached or, if children are followed, becomes
 * another process of the target. A child that shares memory (vfork, posix_spawn) stays attached as a guest and runs
 * natively until it executes another program. Then it is detached or followed.
 *
 * Job control works under the tracer. A thread that SIGSTOP stops reports STOP_CONTINUE, and thread_resume leaves the
 * thread stopped. When SIGCONT arrives, the thread reports STOP_CONTINUE again.
 */
#ifndef ITRACE_TARGET_TARGET_H
#define ITRACE_TARGET_TARGET_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/hash.h"

/* The general registers of a stopped thread, in the order of the kernel's struct user_regs_struct (asserted). */
struct target_regs {
	uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig_rax, rip, cs, eflags,
		rsp, ss, fs_base, gs_base, ds, es, fs, gs;
};

#define EFLAGS_TF 0x100u
#define EFLAGS_DF 0x400u

/* A range of /proc/PID/maps. */
struct mapping {
	uint64_t start_va, end_va, offset_bytes;
	uint64_t inode; /* of the file or the shared memory; 0: neither */
	bool readable, writable, executable, shared;
	char *path; /* "": anonymous memory */
};

struct mapping_list {
	struct mapping *mappings; /* ascending */
	size_t n_mappings, mappings_capacity;
};

struct breakpoint {
	uint64_t va;
	uint8_t original; /* the byte that the int3 replaces */
};

/* One address space. */
struct process {
	pid_t pid;
	int memory_fd;			/* /proc/PID/mem */
	struct breakpoint *breakpoints; /* ascending by va */
	size_t n_breakpoints, breakpoints_capacity;
	uint32_t breakpoints_version; /* changes with every change of the breakpoints */
	unsigned n_threads;	      /* number of attached threads, including guests */
	/* The thread for which all other threads are held: it steps over a breakpoint, or has holds_others. NULL:
	 * none. */
	struct thread *holder;
	bool exited; /* the thread-group leader was reaped, and wait_status is final */
	int wait_status;
	unsigned n_detached; /* number of child processes that run untraced */
	void *engine;	     /* owned by the engine */

	/* private to target/ */
	bool outlives_itrace;	   /* the process survives the death of itrace */
	struct watchdog *watchdog; /* removes the breakpoints if itrace dies; or NULL */
};

enum resume_mode {
	RESUME_RUN,
	RESUME_STEP,
	RESUME_SYSCALL, /* to the end of the system call at rip, reported as STOP_TRAP, even if SIGTRAP is blocked */
};

struct thread {
	pid_t tid;
	struct process *process;
	bool is_guest; /* a vfork child in the memory of its parent: it runs natively and is never in a region */
	void *task;    /* owned by the engine */

	bool postpones_signals; /* blocks more signals than the program asked for (thread_postpone_signals) */

	/* private to target/ */
	size_t index;	       /* in target->threads */
	UT_hash_handle hh;     /* in target->by_tid */
	enum resume_mode mode; /* of the last resume */
	bool stopped;	       /* in a ptrace stop */
	bool has_early_stop;   /* stopped again before it was resumed: target_wait handles this stop after the resume */
	bool in_vfork;	       /* waits uninterruptibly for its vfork child */
	bool in_syscall;       /* stopped in a system call that creates a process or thread, or executes a program */
	uint64_t postponed_mask;     /* while postpones_signals: the program's own mask */
	uint64_t postponed_until_ns; /* while postpones_signals: the end, by monotonic_now_ns() */
	uint64_t n_postponed_steps;  /* while postpones_signals: the steps until the end if the thread is stepped */
	bool in_group_stop;	     /* stopped by SIGSTOP or the like; only SIGCONT may resume it */
	bool entered_syscall;	     /* the RESUME_SYSCALL under way has entered the kernel */
	bool holds_others;	     /* all other threads of the process are held until thread_release_others */
	/* To be resumed with held_signal at held_rip when the holder releases the others. */
	bool held;
	int held_signal;
	uint64_t held_rip;
	uint64_t lifted_va;   /* the breakpoint whose int3 is removed while this thread steps over it; 0: none */
	uint64_t reported_va; /* the breakpoint that was reported at reported_rsp and not yet executed; 0: none */
	uint64_t reported_rsp;
	bool knows_filter; /* has_filter is valid: it was read after the last thread_resume() */
	bool has_filter;   /* a seccomp filter is in force that itrace is not under */
	bool knows_regs;   /* `regs` is valid: the thread has executed nothing since */
	struct target_regs regs;
};

enum stop_kind {
	/* SIGTRAP: end of a step, a signal handler's entry after a step, or a bare int3; see thread_signal_code. */
	STOP_TRAP,
	STOP_BREAKPOINT, /* reached a breakpoint; rip is its address */
	STOP_SIGNAL,	 /* about to receive `signal`, which the caller passes to thread_resume */
	/* The caller only resumes the thread: it was attached or interrupted, or a group stop began or ended. */
	STOP_CONTINUE,
	STOP_THREAD,  /* a new thread, stopped before its first instruction; `parent` created it */
	STOP_PROCESS, /* a new process that is followed: a copy of the parent's memory without breakpoints */
	/* The thread executes another program, perhaps in a new process; other threads and all breakpoints are gone. */
	STOP_EXEC,
	STOP_EXITING, /* about to exit; registers can still be read */
	/* The thread has ended: the caller releases thread->task, and the next target_wait frees `thread`. */
	STOP_GONE,
	STOP_INTERRUPTED, /* no thread: itrace itself received a signal */
	STOP_ENDED,	  /* no thread: the program has no threads left */
};

struct stop {
	enum stop_kind kind;
	struct thread *thread; /* NULL for STOP_INTERRUPTED and STOP_ENDED */
	struct thread *parent; /* STOP_THREAD, STOP_PROCESS */
	int signal;	       /* STOP_SIGNAL */
};

struct target {
	struct process *process;    /* the process that itrace launched or attached to */
	struct process **processes; /* [n_processes] `process` and the followed processes that still exist */
	size_t n_processes, processes_capacity;
	bool follows_children; /* set before the program runs */
	bool outlives_itrace;  /* true after target_attach: the program survives the death of itrace */
	struct thread **threads;
	size_t n_threads, threads_capacity;

	/* private to target/ */
	struct thread *by_tid;
	struct thread *gone;		/* freed by the next target_wait */
	struct early_stop *early_stops; /* wait statuses that are not handled yet, the oldest first */
	size_t n_early_stops, early_stops_capacity;
	size_t n_waits;
	struct stop *ready; /* stops that target_wait reports first */
	size_t n_ready, ready_capacity;
};

/* Starts argv[0] (searched along PATH), stopped at its first instruction. The program dies if itrace dies. Errors:
 * the program is not found or not executable, or ptrace is refused; the message has the reason. */
bool target_launch(struct target *target, const char *const *argv, bool disable_aslr, struct error *err);

/* Seizes all threads of a running process. The process survives the death of itrace. Each thread is interrupted and
 * reports STOP_CONTINUE, after any other stop. Errors state why the process cannot be traced, and what to do. */
bool target_attach(struct target *target, pid_t pid, struct error *err);

/* Detaches from all remaining threads and releases everything. */
void target_deinit(struct target *target);

/* Detaches a stopped thread, delivers `signal` (0: none), and frees it, even if it is dying. Its process must have no
 * breakpoints left, and thread->task must have been released. */
void thread_detach(struct target *target, struct thread *thread, int signal);

/* Waits for the end of an untraced child of itrace. Returns false if itrace received a signal first. */
bool target_await_child(pid_t pid, int *wait_status);

/* Waits for the next stop. Errors: waitpid fails, or the memory of a program cannot be opened after exec. */
bool target_wait(struct target *target, struct stop *stop, struct error *err);

/* Sends a signal to the program as kill(2) does. */
void target_kill(struct target *target, int signal);

/* Detaches from all threads that wait for itrace, at any kind of stop, and kills a launched program. */
void target_abandon(struct target *target);

/* Returns the ID of a thread in a ptrace stop that target_wait has not reported, or 0. The caller has handled all
 * reported stops. This reads a file for each thread. */
pid_t target_find_waiting(struct target *target);

/* Resumes a stopped thread, with `signal` (0: none). `rip` is its current address. A breakpoint at `rip` is stepped
 * over while the other threads are held. `rip` is 0 inside a system call, or if no breakpoint can be there. If the
 * thread has died, target_wait reports that. */
void thread_resume(struct target *target, struct thread *thread, enum resume_mode mode, int signal, uint64_t rip);

/* Stops all other threads of a stopped thread's process until thread_release_others, or until this thread ends.
 * Threads that sleep in the kernel keep sleeping, because some system calls fail when they are interrupted
 * (signal(7)). Returns false if the thread dies meanwhile, or if another thread holds the process already. */
bool thread_hold_others(struct target *target, struct thread *thread);
void thread_release_others(struct target *target, struct thread *thread);

/* Interrupts a running thread, or one in a group stop. target_wait reports STOP_CONTINUE. */
void thread_interrupt(const struct thread *thread);

/* Returns true if the thread runs or is ready to run. */
bool thread_is_running(const struct thread *thread);
/* Sets *cpu_ns to the CPU time of the thread: exact for a stopped thread, else as of the scheduler's last update.
 * Returns false if the kernel does not report the time. */
bool thread_cpu_time(const struct thread *thread, uint64_t *cpu_ns);

/* Gets or sets the registers of a stopped thread. Returns false if the thread has died. */
bool thread_get_regs(struct thread *thread, struct target_regs *regs);
bool thread_set_regs(struct thread *thread, const struct target_regs *regs);

/* Called after a single step over POPF or IRET. Linux then assumes that TF may be the program's own
 * (arch/x86/kernel/step.c, is_setting_trap_flag), and would show TF to the program. This call resets the assumption.
 * Afterwards the TF of thread_get_regs is the program's own. Returns false if the thread stops for another reason
 * first, which target_wait reports. */
bool thread_settle_flags(struct target *target, struct thread *thread);

/* Gets or sets the siginfo_t of the signal that a stopped thread is about to receive. Returns false if the thread has
 * died. */
#define THREAD_SIGINFO_BYTES 128
bool thread_get_siginfo(const struct thread *thread, uint8_t info[THREAD_SIGINFO_BYTES]);
bool thread_set_siginfo(const struct thread *thread, const uint8_t info[THREAD_SIGINFO_BYTES]);
/* Replaces the fault address of that signal by `to` if the address is `from`. */
bool thread_change_signal_address(const struct thread *thread, uint64_t from, uint64_t to);

/* Makes a stopped thread perform a system call with the SYSCALL instruction at syscall_va, and restores its
 * registers. The thread must not be about to receive a signal, and not be in_syscall. Returns false if
 * thread_is_confined(), or if the thread stops for another reason first, which target_wait reports. */
bool thread_call(struct target *target, struct thread *thread, uint64_t syscall_va, long number,
		 const uint64_t arguments[6], int64_t *result);

/* Sets the path by which a traced program can open the file behind a descriptor of itrace. */
void target_own_descriptor_path(int fd, char *path, size_t path_bytes);

/* Opens the file behind a descriptor of the thread. -1 on failure. */
int thread_open_descriptor(const struct thread *thread, int fd);

/* The kinds of /proc files that a thread has open. */
struct proc_files {
	bool memory; /* /proc/PID/mem, through which the thread could write to its code */
	/* A memory map of the thread's own process: /proc/PID/maps or smaps, or /proc/PID/task/TID/maps or smaps. */
	bool map;
};
/* Returns the kinds of all open descriptors. */
struct proc_files thread_proc_files(const struct thread *thread);
/* Returns the kind of one descriptor. */
struct proc_files thread_descriptor_proc_files(const struct thread *thread, int fd);

/* Returns the content of the text file of a thread's descriptor, or NULL if it cannot be read. The caller frees it. */
char *thread_read_file(const struct thread *thread, int fd);

/* Sets *position to the file offset of a descriptor. Returns false if the offset cannot be read. */
bool thread_descriptor_position(const struct thread *thread, int fd, uint64_t *position);

/* Returns the inode of a descriptor's file, or 0 if the descriptor is closed. */
uint64_t thread_descriptor_inode(const struct thread *thread, int fd);

/* Sets *va to the address of the thread's area for restartable sequences (Linux' struct rseq). Returns false if the
 * thread has no area, or before Linux 5.13. */
bool thread_find_rseq(const struct thread *thread, uint64_t *va);

/* Returns true if the CPU compares return addresses with a shadow stack (CET), which only CALL can write. */
bool thread_has_shadow_stack(const struct thread *thread);

/* Returns true if the thread is under a seccomp filter that itrace is not under and may not suspend. System calls
 * made by itrace could then kill the program. */
bool thread_is_confined(struct thread *thread);

/* Returns the si_code of the signal that a stopped thread is about to receive (siginfo.h); 0 if the thread has died. */
int thread_signal_code(const struct thread *thread);

/* The si_code of a stop at the first instruction of a signal handler, after a single step that entered the handler.
 * ptrace_notify() in Linux' kernel/signal.c passes the number of SIGTRAP as the code. */
#define TRAP_CODE_HANDLER_ENTRY 5
#define TRAP_CODE_KERNEL 0x80 /* SI_KERNEL: int3 */

/* Returns true if the program itself handles the signal. */
bool thread_handles(const struct thread *thread, int signal);

/* Unblocks SIGTRAP in the thread's signal mask. At a step, Linux would unblock it too, but would also reset the
 * program's handler (kernel/signal.c, force_sig_info_to_task). */
void thread_unblock_sigtrap(const struct thread *thread);

/* Gets or sets the signals that the thread blocks. Bit 0 is signal 1. */
bool thread_get_signal_mask(const struct thread *thread, uint64_t *mask);
void thread_set_signal_mask(const struct thread *thread, uint64_t mask);

/* Postpones the signals of a stopped thread that blocks more signals than its own `mask`. Restores `mask` after
 * n_steps if the thread is stepped, else after `ns`, or earlier if the thread makes a system call or receives another
 * signal. Until then the signals are pending, and the signals of a timer merge into one. The caller steps over system
 * calls with RESUME_SYSCALL, because a pending signal would arrive before a step. */
void thread_postpone_signals(struct thread *thread, uint64_t mask, uint64_t ns, uint64_t n_steps);

/* Gets or sets the processors on which the thread may run. Failing to set them is ignored, because it only costs
 * speed. */
bool thread_get_affinity(const struct thread *thread, cpu_set_t *cpus);
void thread_set_affinity(const struct thread *thread, const cpu_set_t *cpus);

/* Returns the attribute of the program's file that would give the program more privileges without a tracer, such as
 * "is set-user-ID", or NULL. Linux withholds the privileges if the tracer lacks CAP_SYS_PTRACE (ptrace(2),
 * security/commoncap.c). */
const char *process_withheld_privilege(const struct process *process);

/* Returns true if Linux randomizes the addresses of the process's memory. Linux ignores disable_aslr of
 * target_launch() for a set-user-ID program, and a program can ask for randomization by personality(2). */
bool process_is_randomized(const struct process *process);

/* Returns the number of bytes that the process may still map. Returns UINT64_MAX if there is no limit (RLIMIT_AS), or
 * if the kernel does not report it. */
uint64_t process_address_space_left(const struct process *process);

/* Returns the number of bytes to which the first thread's stack may grow. Returns UINT64_MAX if there is no limit
 * (RLIMIT_STACK), or if the kernel does not report it. */
uint64_t process_stack_limit(const struct process *process);

/* Reads up to n_bytes, fewer if readable memory ends before. Returns the number of bytes. Breakpoints are replaced by
 * the original bytes. */
size_t process_read(const struct process *process, uint64_t va, void *buffer, size_t n_bytes);

/* Reads n_bytes from each of vas[n] into buffer[n * n_bytes]. Sets are_read[i] if all bytes at vas[i] were read. The
 * bytes may contain breakpoints. */
void process_read_all(const struct process *process, const uint64_t *vas, size_t n, void *buffer, size_t n_bytes,
		      bool *are_read);
bool process_write(struct process *process, uint64_t va, const void *bytes, size_t n_bytes);

/* Writes an int3 at va, if there is no breakpoint yet. */
bool process_add_breakpoint(struct process *process, uint64_t va, struct error *err);
/* Writes the original bytes back. */
void process_remove_breakpoint(struct process *process, uint64_t va);
void process_remove_all_breakpoints(struct process *process);
/* Returns the breakpoint at va, or NULL. */
const struct breakpoint *process_find_breakpoint(const struct process *process, uint64_t va);
/* Removes the breakpoints of unmapped memory from the list, without writing. */
void process_forget_breakpoints(struct process *process, uint64_t start_va, uint64_t end_va);

/* Finds the threads of any process. Sets *tids, which the caller frees, and *n_tids. Returns false if there is no
 * such process. */
bool process_find_threads(pid_t pid, pid_t **tids, size_t *n_tids);

/* Reads the name of a thread (proc(5), /proc/PID/comm), which may have any bytes, cut to name_bytes - 1. Returns
 * false if the thread has ended. */
bool thread_read_name(const struct thread *thread, char *name, size_t name_bytes);

/* Returns the arguments of a process, NULL-terminated. A process without arguments gives its name. The caller frees
 * the array and its strings. */
char **process_command_line(pid_t pid);

/* Returns true if the process exists and has not ended. */
bool process_is_alive(pid_t pid);

/* Returns true if the process exists and belongs to another user. Returns false for root, who may trace all
 * processes. */
bool process_is_of_another_user(pid_t pid);

/* Finds the path of the file that the process executes. Returns false if the path is unknown. */
bool process_program_path(const struct process *process, char *path, size_t path_bytes);
/* Writes the path of a link in /proc to a mapped file. It works even for a deleted file, but only with CAP_SYS_ADMIN
 * (proc(5), /proc/PID/map_files). */
void process_mapping_link(const struct process *process, const struct mapping *mapping, char *path, size_t path_bytes);

/* Reads the current memory map. */
bool process_read_mappings(const struct process *process, struct mapping_list *list, struct error *err);

/* Reads only the mapping at va, if there is one. Returns false before Linux 6.11, which cannot tell. */
bool process_read_mapping_at(const struct process *process, uint64_t va, struct mapping_list *list);
void mapping_list_deinit(struct mapping_list *list);

/* Returns the mapping that contains va, or NULL. */
const struct mapping *mapping_find(const struct mapping_list *list, uint64_t va);

#endif
