#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "target/internal.h"

static_assert(sizeof(siginfo_t) == THREAD_SIGINFO_BYTES, "target.h says so");

bool thread_get_siginfo(const struct thread *thread, uint8_t info[THREAD_SIGINFO_BYTES])
{
	return ptrace(PTRACE_GETSIGINFO, thread->tid, 0, info) == 0;
}

bool thread_set_siginfo(const struct thread *thread, const uint8_t info[THREAD_SIGINFO_BYTES])
{
	return ptrace(PTRACE_SETSIGINFO, thread->tid, 0, info) == 0;
}

bool thread_change_signal_address(const struct thread *thread, uint64_t from, uint64_t to)
{
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &info) < 0)
		return false;
	if ((uint64_t)(uintptr_t)info.si_addr != from)
		return true;
	info.si_addr = (void *)(uintptr_t)to; // NOLINT(performance-no-int-to-ptr)
	return ptrace(PTRACE_SETSIGINFO, thread->tid, 0, &info) == 0;
}

void target_own_descriptor_path(int fd, char *path, size_t path_bytes)
{
	snprintf(path, path_bytes, "/proc/%d/fd/%d", (int)getpid(), fd);
}

int thread_open_descriptor(const struct thread *thread, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)thread->tid, fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* -1 if the kernel does not report it (before Linux 5.9). */
static int count_seccomp_filters(pid_t tid)
{
	char value[64];

	return proc_status_field(tid, "Seccomp_filters", value, sizeof(value)) ? atoi(value) : -1;
}

bool thread_find_rseq(const struct thread *thread, uint64_t *va)
{
	struct __ptrace_rseq_configuration configuration;

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, thread->tid, sizeof(configuration), &configuration) <
		    (long)sizeof(configuration) ||
	    !configuration.rseq_abi_pointer)
		return false;
	*va = configuration.rseq_abi_pointer;
	return true;
}

/* Returns true if the thread is under a filter that itrace is not under. */
static bool has_other_filter(const struct thread *thread)
{
	char value[64];
	int n_filters;

	if (!proc_status_field(thread->tid, "Seccomp", value, sizeof(value)))
		return true;
	if (atoi(value) != SECCOMP_MODE_FILTER)
		return atoi(value) != SECCOMP_MODE_DISABLED;
	/* Filters are inherited and never removed. Equal numbers mean the same filters, such as a container's. */
	n_filters = count_seccomp_filters(thread->tid);
	return thread->process->outlives_itrace || n_filters < 0 || n_filters != count_seccomp_filters(getpid());
}

static bool has_filter(struct thread *thread)
{
	if (!thread->knows_filter)
		thread->has_filter = has_other_filter(thread);
	thread->knows_filter = true;
	return thread->has_filter;
}

/* Suspends the filters during a system call that itrace makes. This needs CAP_SYS_ADMIN and no filter on itrace
 * itself (ptrace(2), PTRACE_O_SUSPEND_SECCOMP). */
static bool suspend_filter(const struct thread *thread, bool is_suspended)
{
	long options = SEIZE_OPTIONS | (thread->process->outlives_itrace ? 0 : PTRACE_O_EXITKILL) |
		       (is_suspended ? PTRACE_O_SUSPEND_SECCOMP : 0);

	return ptrace(PTRACE_SETOPTIONS, thread->tid, 0, options) == 0;
}

bool thread_is_confined(struct thread *thread)
{
	return has_filter(thread) && !(suspend_filter(thread, true) && suspend_filter(thread, false));
}

bool thread_has_shadow_stack(const struct thread *thread)
{
	char value[64];

	/* Linux, Documentation/arch/x86/shstk.rst. Without this line the kernel has no shadow stacks. */
	return proc_status_field(thread->tid, "x86_Thread_features", value, sizeof(value)) && strstr(value, "shstk");
}

static bool is_pending(const struct thread *thread, int signal)
{
	static const char *const fields[] = {"SigPnd", "ShdPnd"};
	char value[64];

	for (size_t i = 0; i < ARRAY_LENGTH(fields); i++)
		if (proc_status_field(thread->tid, fields[i], value, sizeof(value)) &&
		    strtoull(value, NULL, 16) >> (signal - 1) & 1)
			return true;
	return false;
}

/* Steps over one instruction, while all signals that can be blocked are. If the thread reports something else,
 * target_wait reports that later. */
static bool step_once(struct target *target, struct thread *thread)
{
	/* A thread in a group stop leaves it. Linux then refuses PTRACE_LISTEN, but stops the thread again. */
	bool was_interrupted = thread->in_group_stop, was_told_to_stop = false;
	int wait_status;

	thread->knows_regs = thread->in_group_stop = false;
	for (;;) {
		if (ptrace(PTRACE_SINGLESTEP, thread->tid, 0, 0) < 0)
			return false;
		while (waitpid(thread->tid, &wait_status, __WALL) < 0)
			if (errno != EINTR)
				return false;
		if (!WIFSTOPPED(wait_status))
			break;
		if (wait_status >> 8 == SIGSTOP)
			was_told_to_stop = true;
		else if (wait_status >> 16 == PTRACE_EVENT_STOP)
			/* A thread_interrupt() came while the thread was stopped for another reason, or the process is
			 * stopped. Linux reports the latter again. */
			was_interrupted = true;
		else
			break;
	}
	if (was_interrupted)
		thread_interrupt(thread);
	if (!WIFSTOPPED(wait_status) || wait_status >> 8 != SIGTRAP) {
		target_keep_stop(target, thread, wait_status);
		return false;
	}
	/* SIGCONT cancels a SIGSTOP that came before it, and Linux knows of this one no more. */
	if (was_told_to_stop && !is_pending(thread, SIGCONT))
		target_keep_stop(target, thread, SIGSTOP << 8 | 0x7f);
	return true;
}

bool thread_call(struct target *target, struct thread *thread, uint64_t syscall_va, long number,
		 const uint64_t arguments[6], int64_t *result)
{
	/* If SIGTRAP is blocked when a step ends, Linux resets the program's handler. */
	const uint64_t all_signals = ~(UINT64_C(1) << (SIGTRAP - 1));
	struct target_regs before, regs;
	bool filters = has_filter(thread), ok;
	uint64_t mask;

	if (!thread_get_regs(thread, &before) || !thread_get_signal_mask(thread, &mask) ||
	    (filters && !suspend_filter(thread, true)))
		return false;
	thread_set_signal_mask(thread, all_signals);
	regs = before;
	regs.rip = syscall_va;
	regs.rax = (uint64_t)number;
	/* Prevents the restart of an interrupted system call. */
	regs.orig_rax = UINT64_MAX;
	regs.rdi = arguments[0];
	regs.rsi = arguments[1];
	regs.rdx = arguments[2];
	regs.r10 = arguments[3];
	regs.r8 = arguments[4];
	regs.r9 = arguments[5];
	ok = thread_set_regs(thread, &regs) && step_once(target, thread) && thread_get_regs(thread, &regs);
	if (ok)
		*result = (int64_t)regs.rax;
	thread_set_signal_mask(thread, mask);
	if (filters)
		suspend_filter(thread, false);
	return thread_set_regs(thread, &before) && ok;
}
