/* The traced program: its processes, threads, memory and breakpoints. The only place that calls ptrace and waitpid.
 *
 * All threads of the program are seized. A caller waits for one stop at a time and resumes the stopped thread. Children
 * made by fork get their own code bytes back; then they are let go at once or, where children are followed, are processes of
 * the target like the first one. Children that share memory (vfork, posix_spawn) stay attached as guests and run natively until
 * they execute another program, with which they are let go or followed.
 *
 * Job control goes on under the tracer: a thread that is stopped by SIGSTOP and the like reports STOP_CONTINUE, and resuming it
 * leaves it stopped until SIGCONT, which it reports as STOP_CONTINUE again.
 */
#ifndef ITRACE_TARGET_TARGET_H
#define ITRACE_TARGET_TARGET_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

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
	uint64_t inode; /* of the file, or of shared memory; 0: neither */
	bool readable, writable, executable, shared;
	char *path; /* "" for anonymous memory */
};

struct mapping_list {
	struct mapping *mappings; /* ascending */
	size_t n_mappings, mappings_capacity;
};

struct breakpoint {
	uint64_t va;
	uint8_t original; /* the byte under the int3 */
};

/* One address space. */
struct process {
	pid_t pid;
	int memory_fd;			/* /proc/PID/mem */
	struct breakpoint *breakpoints; /* ascending by va */
	size_t n_breakpoints, breakpoints_capacity;
	uint32_t breakpoints_version; /* another one after each change of them */
	unsigned n_threads;	      /* attached, guests included */
	struct thread *holder;	      /* steps over a breakpoint, or holds_on, while all others are held; or NULL */
	bool exited;		      /* the thread-group leader was reaped; wait_status is final */
	int wait_status;
	unsigned n_let_go; /* child processes that run on untraced */
	void *engine;	   /* the engine's */

	/* private to target/ */
	bool outlives_us;	   /* it does not die with itrace */
	struct guardian *guardian; /* of its code then; or NULL */
};

enum resume_mode {
	RESUME_RUN,
	RESUME_STEP,
	RESUME_SYSCALL, /* up to the end of the system call that it stands at, with STOP_TRAP; unlike that of a step, it is no signal */
};

struct thread {
	pid_t tid;
	struct process *process;
	bool is_guest; /* a vfork child on borrowed memory: runs natively, never in a region */
	void *task;    /* the engine's */

	/* private to target/ */
	enum resume_mode mode; /* of the last resume */
	bool stopped;	       /* in a ptrace stop */
	bool in_vfork;	       /* waits, uninterruptibly, for its vfork child */
	bool in_syscall;       /* stopped within a system call that makes a process or thread, or executes a program */
	bool in_group_stop;    /* by SIGSTOP and the like: it is not for us to let it run */
	bool entered_syscall;  /* of RESUME_SYSCALL */
	bool holds_on;	       /* all others, until thread_release_others */
	bool held;	       /* to be resumed when the holder is done, with held_signal, from held_rip */
	int held_signal;
	uint64_t held_rip;
	uint64_t over_va;   /* the breakpoint that was lifted for this thread's step; 0: none */
	uint64_t passed_va; /* a breakpoint reported and not yet executed, at stack pointer passed_rsp; 0: none */
	uint64_t passed_rsp;
	bool knows_regs; /* `regs` are its registers: it was not resumed since they were read */
	struct target_regs regs;
};

enum stop_kind {
	STOP_TRAP, /* SIGTRAP: a single step, a handler's entry after a step, a bare int3; see thread_signal_code */
	STOP_BREAKPOINT, /* ran onto a breakpoint; rip is its address */
	STOP_SIGNAL,	 /* about to receive `signal`: pass it on with the resume */
	STOP_CONTINUE, /* nothing happened: resume as before (attached, interrupted, before and after a group stop, after an event) */
	STOP_THREAD,  /* a new thread, stopped before its first instruction; `parent` created it */
	STOP_PROCESS, /* the same in a new process, which is followed: a copy of the parent's without its breakpoints */
	STOP_EXEC, /* the process, which may be a new one that is followed, executes another program; all its other threads and its
			  breakpoints are gone */
	STOP_EXITING,	  /* about to exit: registers can still be read, then resume */
	STOP_GONE,	  /* the thread is no more: release thread->task; the struct is freed by the next wait */
	STOP_INTERRUPTED, /* no thread: itrace itself got a signal */
	STOP_ENDED,	  /* no thread: no thread of the program is left */
};

struct stop {
	enum stop_kind kind;
	struct thread *thread; /* NULL for INTERRUPTED and ENDED */
	struct thread *parent; /* STOP_THREAD, STOP_PROCESS */
	int signal;	       /* STOP_SIGNAL */
};

struct target {
	struct process *process;    /* launched or attached to */
	struct process **processes; /* [n_processes] that one and those that were followed and are not gone */
	size_t n_processes, processes_capacity;
	bool follows;	  /* children; may be set before the program runs */
	bool outlives_us; /* attached to: it does not die with itrace */
	struct thread **threads;
	size_t n_threads, threads_capacity;

	/* private to target/ */
	struct thread *last; /* of the last stop: found without a search */
	struct thread *gone; /* freed by the next wait */
	struct early_stop
		*early_stops; /* wait statuses of held threads, and of threads whose creation is not reported yet */
	size_t n_early_stops, early_stops_capacity;
	struct stop *ready; /* stops to report before waiting */
	size_t n_ready, ready_capacity;
};

/* Starts argv[0] (found along PATH) stopped at its first instruction. It dies when itrace does. Errors say why: not found,
 * not executable, or what refused ptrace. */
bool target_launch(struct target *target, const char *const *argv, bool disable_aslr, struct error *err);

/* Seizes all threads of a running process, which outlives itrace. Each of them is interrupted and will report STOP_CONTINUE, or
 * what else happens to it first. Errors say why it cannot be traced, and what to do. */
bool target_attach(struct target *target, pid_t pid, struct error *err);

/* Detaches from what is left and releases everything. */
void target_deinit(struct target *target);

/* Lets a stopped thread run on untraced, with `signal` (0: none), and frees it. A thread that cannot be, as it is dying, is freed all
 * the same. No breakpoint may be left in its process, and thread->task must have been released. */
void thread_detach(struct target *target, struct thread *thread, int signal);

/* Waits for the end of a child of itrace's that is not traced. False when itrace itself got a signal first. */
bool target_await_child(pid_t pid, int *wait_status);

/* Waits for the next stop. A system call that fails for reasons other than the program's doing is an error. */
bool target_wait(struct target *target, struct stop *stop, struct error *err);

/* Sends a signal to the program as kill(2) does. */
void target_kill(struct target *target, int signal);

/* Lets a stopped thread go on, with `signal` (0: none). rip is where it stands, so that a breakpoint there is stepped
 * over (its byte is lifted and the other threads are held meanwhile); 0 in the middle of a system call, or when no breakpoint
 * can be there. A thread that died is no error: its end is reported by target_wait. */
void thread_resume(struct target *target, struct thread *thread, enum resume_mode mode, int signal, uint64_t rip);

/* Keeps all other threads of the process from running until thread_release_others, or the end of this one, which is stopped. Those that
 * sleep in the kernel stay there, as some system calls fail when they are interrupted (signal(7)). False when the thread dies meanwhile, or
 * another one holds all others. */
bool thread_hold_others(struct target *target, struct thread *thread);
void thread_release_others(struct target *target, struct thread *thread);

/* Makes a running thread, or one in a group stop, stop soon, which target_wait reports as STOP_CONTINUE. */
void thread_interrupt(const struct thread *thread);

/* Whether a thread runs or is ready to, and the CPU time that it has used: exact for a stopped thread, else as of the
 * scheduler's last look at it. False, and nothing is set, when the kernel does not tell. */
bool thread_is_running(const struct thread *thread);
bool thread_cpu_time(const struct thread *thread, uint64_t *cpu_ns);

/* Registers of a stopped thread. False when it has died meanwhile. */
bool thread_get_regs(struct thread *thread, struct target_regs *regs);
bool thread_set_regs(struct thread *thread, const struct target_regs *regs);

/* After a single step over POPF or IRET: makes Linux forget that TF might be the program's own, which it assumes for these
 * (arch/x86/kernel/step.c, is_setting_trap_flag) and would let the program see from then on. Afterwards the TF that thread_get_regs
 * shows is the program's. False when the thread has other news first; target_wait will tell. */
bool thread_settle_flags(struct target *target, struct thread *thread);

/* The signal that a stopped thread is about to receive, as the kernel has it. THREAD_SIGINFO_BYTES is sizeof(siginfo_t).
 * thread_change_signal_address replaces the address of a fault if it is `from`. False when the thread has died meanwhile. */
#define THREAD_SIGINFO_BYTES 128
bool thread_get_siginfo(const struct thread *thread, uint8_t info[THREAD_SIGINFO_BYTES]);
bool thread_set_siginfo(const struct thread *thread, const uint8_t info[THREAD_SIGINFO_BYTES]);
bool thread_change_signal_address(const struct thread *thread, uint64_t from, uint64_t to);

/* Makes a stopped thread, which is about to receive no signal and not in_syscall, perform a system call, by the SYSCALL instruction at syscall_va. Its
 * registers are as before afterwards. False when the thread is confined, or has other news first, which target_wait will tell. */
bool thread_call(struct target *target, struct thread *thread, uint64_t syscall_va, long number,
		 const uint64_t arguments[6], int64_t *result);

/* Opens what a descriptor of the thread is open on; -1 when that fails. */
int thread_open_descriptor(const struct thread *thread, int fd);

/* Files of /proc that the thread has open, or that one descriptor is open on. */
struct proc_files {
	bool memory; /* a /proc/PID/mem, through which it could write to its code */
	bool map; /* one that tells what its own process has mapped: /proc/PID/maps or smaps, or those of one of its threads */
};
struct proc_files thread_proc_files(const struct thread *thread);
struct proc_files thread_descriptor_proc_files(const struct thread *thread, int fd);
bool thread_descriptor_is_memory_file(const struct thread *thread, int fd);

/* All of a text file that a descriptor of the thread is open on, to be freed; NULL when it cannot be read. */
char *thread_read_file(const struct thread *thread, int fd);

/* Where the next read from a descriptor begins. False when that cannot be told. */
bool thread_descriptor_position(const struct thread *thread, int fd, uint64_t *position);

/* Of the file that a descriptor of the thread is open on; 0 when it is closed. */
uint64_t thread_descriptor_inode(const struct thread *thread, int fd);

/* Where the thread's area for restartable sequences is (Linux' struct rseq). False when it has none, or before Linux 5.13. */
bool thread_find_rseq(const struct thread *thread, uint64_t *va);

/* Return addresses are compared with a shadow stack (CET), which only CALL writes to. */
bool thread_has_shadow_stack(const struct thread *thread);

/* A seccomp filter is in force which itrace is not under itself, and may not suspend: system calls of ours could kill the program. */
bool thread_is_confined(const struct thread *thread);

/* si_code of the signal that a stopped thread is about to receive (siginfo.h); 0 when it has died meanwhile. */
int thread_signal_code(const struct thread *thread);

/* si_code of the stop that a single step reports at the first instruction of a signal handler: ptrace_notify() in
 * Linux' kernel/signal.c gives SIGTRAP itself. */
#define TRAP_CODE_HANDLER_ENTRY 5
#define TRAP_CODE_KERNEL 0x80 /* SI_KERNEL: int3 */

/* True when the program itself has a handler for the signal. */
bool thread_handles(const struct thread *thread, int signal);

/* Lets SIGTRAP through the thread's signal mask. Linux does so for a single step's own (kernel/signal.c,
 * force_sig_info_to_task), but then resets the program's handler as well. */
void thread_unblock_sigtrap(const struct thread *thread);

/* All signals that the thread keeps from itself, as a bit mask: bit 0 for signal 1. */
bool thread_get_signal_mask(const struct thread *thread, uint64_t *mask);
void thread_set_signal_mask(const struct thread *thread, uint64_t mask);

/* The processors a thread may run on. Setting fails silently: it only costs speed. */
bool thread_get_affinity(const struct thread *thread, cpu_set_t *cpus);
void thread_set_affinity(const struct thread *thread, const cpu_set_t *cpus);

/* What of its file would give the program that the process has executed more privileges than it has, such as "is set-user-ID"; NULL: nothing.
 * Linux gives them to no program that somebody traces who lacks CAP_SYS_PTRACE (ptrace(2), security/commoncap.c). */
const char *process_lacking_privileges(const struct process *process);

/* Whether Linux places its memory at random. It does so in spite of target_launch() where a set-user-ID program is executed, and where the program
 * itself asks for it by personality(2). */
bool process_is_randomized(const struct process *process);

/* Bytes that the process may still map; UINT64_MAX where it has no such limit (RLIMIT_AS), or the kernel does not tell. */
uint64_t process_address_space_left(const struct process *process);

/* Bytes that its first thread's stack may grow to; UINT64_MAX where there is no such limit (RLIMIT_STACK), or the kernel does not tell. */
uint64_t process_stack_limit(const struct process *process);

/* Reads up to n_bytes, less at the end of readable memory, with the original bytes under breakpoints. */
size_t process_read(const struct process *process, uint64_t va, void *buffer, size_t n_bytes);

/* The same from many places, where breakpoints may be seen, whole or not at all: n_bytes each, behind each other in the buffer; are_read[i] tells whether those at
 * vas[i] are. */
void process_read_all(const struct process *process, const uint64_t *vas, size_t n, void *buffer, size_t n_bytes,
		      bool *are_read);
bool process_write(struct process *process, uint64_t va, const void *bytes, size_t n_bytes);

/* Plants an int3; doing so twice is one breakpoint. Removing puts the byte back; forgetting drops those of unmapped memory
 * without writing. */
bool process_add_breakpoint(struct process *process, uint64_t va, struct error *err);
void process_remove_breakpoint(struct process *process, uint64_t va);
void process_remove_all_breakpoints(struct process *process);
const struct breakpoint *process_find_breakpoint(const struct process *process, uint64_t va);
void process_forget_breakpoints(struct process *process, uint64_t start_va, uint64_t end_va);

/* The threads of a process that need not be a target's: tids[*n_tids], to be freed. False when there is no such process. */
bool process_find_threads(pid_t pid, pid_t **tids, size_t *n_tids);

/* The name of a thread, any bytes (proc(5), /proc/PID/comm), cut to name_bytes - 1. False when there is no such thread, or none any more. */
bool thread_read_name(const struct thread *thread, char *name, size_t name_bytes);

/* The command line of a process, NULL-terminated and to be freed with its strings; its name alone where it has none. */
char **process_command_line(pid_t pid);

/* Whether such a process is there and has not ended. */
bool process_is_alive(pid_t pid);

/* Paths that lead to files of the program: the program itself (false when it cannot be told), what is mapped (for who may follow
 * it, even when deleted), and what a descriptor is open on ("" when it cannot be told). */
bool process_program_path(const struct process *process, char *path, size_t path_bytes);
void process_mapping_link(const struct process *process, const struct mapping *mapping, char *path, size_t path_bytes);
void thread_descriptor_path(const struct thread *thread, int fd, char *path, size_t path_bytes);

/* The memory map as of now. */
bool process_read_mappings(const struct process *process, struct mapping_list *list, struct error *err);
void mapping_list_deinit(struct mapping_list *list);
const struct mapping *mapping_find(const struct mapping_list *list, uint64_t va);

#endif
