#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/monotonic.h"
#include "target/internal.h"
#include "target/ticks.h"

static_assert(sizeof(struct target_regs) == sizeof(struct user_regs_struct), "target_regs follows the kernel's order");
static_assert(offsetof(struct target_regs, orig_rax) == offsetof(struct user_regs_struct, orig_rax), "same order");
static_assert(offsetof(struct target_regs, rip) == offsetof(struct user_regs_struct, rip), "same order");
static_assert(offsetof(struct target_regs, gs) == offsetof(struct user_regs_struct, gs), "same order");

bool thread_get_regs(struct thread *thread, struct target_regs *regs)
{
	if (!thread->knows_regs && ptrace(PTRACE_GETREGS, thread->tid, 0, &thread->regs) != 0)
		return false;
	thread->knows_regs = true;
	*regs = thread->regs;
	return true;
}

bool thread_set_regs(struct thread *thread, const struct target_regs *regs)
{
	thread->knows_regs = false; /* the kernel does not accept all flags */
	return ptrace(PTRACE_SETREGS, thread->tid, 0, regs) == 0;
}

void thread_interrupt(const struct thread *thread)
{
	/* ESRCH: the thread is dying; target_wait reports it. */
	ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
}

bool thread_is_running(const struct thread *thread)
{
	char state[32];

	return proc_status_field(thread->tid, "State", state, sizeof(state)) && state[0] == 'R';
}

bool thread_cpu_time(const struct thread *thread, uint64_t *cpu_ns)
{
	FILE *file = proc_open(thread->process->pid, "task/%d/schedstat", (int)thread->tid);
	bool ok;

	if (!file)
		return false;
	ok = fscanf(file, "%" SCNu64, cpu_ns) == 1;
	fclose(file);
	return ok;
}

int thread_signal_code(const struct thread *thread)
{
	siginfo_t info = {0};

	return ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &info) == 0 ? info.si_code : 0;
}

bool thread_handles(const struct thread *thread, int signal)
{
	char value[64];

	return proc_status_field(thread->tid, "SigCgt", value, sizeof(value)) &&
	       strtoull(value, NULL, 16) >> (signal - 1) & 1;
}

bool thread_get_signal_mask(const struct thread *thread, uint64_t *mask)
{
	return ptrace(PTRACE_GETSIGMASK, thread->tid, sizeof(*mask), mask) == 0;
}

void thread_set_signal_mask(const struct thread *thread, uint64_t mask)
{
	ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(mask), &mask);
}

void thread_postpone_signals(struct thread *thread, uint64_t mask, uint64_t ns, uint64_t n_steps)
{
	thread->postpones_signals = true;
	thread->postponed_mask = mask;
	thread->postponed_until_ns = monotonic_now_ns() + ns;
	thread->n_postponed_steps = n_steps;
}

void thread_end_postponement(struct thread *thread)
{
	if (!thread->postpones_signals)
		return;
	thread->postpones_signals = false;
	thread_set_signal_mask(thread, thread->postponed_mask);
}

void thread_check_postponement(struct thread *thread, int wait_status)
{
	bool is_trap = wait_status >> 8 == SIGTRAP, steps = thread->mode == RESUME_STEP;
	bool is_interruption = wait_status >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8);

	if (!thread->postpones_signals)
		return;
	if (steps && thread->n_postponed_steps && (is_trap || is_interruption))
		thread->n_postponed_steps -= is_trap;
	else if (!is_trap || steps || monotonic_now_ns() >= thread->postponed_until_ns)
		thread_end_postponement(thread);
}

void thread_unblock_sigtrap(const struct thread *thread)
{
	const uint64_t bit = UINT64_C(1) << (SIGTRAP - 1);
	uint64_t mask;

	if (thread_get_signal_mask(thread, &mask) && (mask & bit))
		thread_set_signal_mask(thread, mask & ~bit);
}

bool thread_get_affinity(const struct thread *thread, cpu_set_t *cpus)
{
	return sched_getaffinity(thread->tid, sizeof(*cpus), cpus) == 0;
}

void thread_set_affinity(const struct thread *thread, const cpu_set_t *cpus)
{
	sched_setaffinity(thread->tid, sizeof(*cpus), cpus);
}

bool thread_settle_flags(struct target *target, struct thread *thread)
{
	int wait_status;

	thread->knows_regs = false;
	/* A resume without a step resets the assumption of Linux about TF (target.h). The pending interruption stops
	 * the thread again inside the kernel. */
	if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) < 0 || ptrace(PTRACE_CONT, thread->tid, 0, 0) < 0)
		return false;
	while (waitpid(thread->tid, &wait_status, __WALL) < 0 && errno == EINTR)
		;
	if (WIFSTOPPED(wait_status) && wait_status >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8))
		return true;
	target_keep_stop(target, thread, wait_status);
	return false;
}

void target_keep_stop(struct target *target, struct thread *thread, int wait_status)
{
	*ARRAY_ADD(target, early_stops) = (struct early_stop){.tid = thread->tid, .wait_status = wait_status};
	thread->has_early_stop = true;
}

void thread_restart(struct thread *thread, int signal)
{
	/* A breakpoint on SYSCALL needs no step: PTRACE_SYSCALL stops when the system call begins. */
	bool step = thread->mode == RESUME_STEP || (thread->lifted_va && thread->mode != RESUME_SYSCALL);
	bool to_syscall = thread->mode == RESUME_SYSCALL || thread->postpones_signals;

	thread->held = false;
	if (thread->has_early_stop) {
		if (signal)
			syscall(SYS_tgkill, thread->process->pid, thread->tid, signal);
		return;
	}
	thread->stopped = thread->knows_regs = thread->knows_filter = false;
	if (thread->postpones_signals && !step) {
		uint64_t now = monotonic_now_ns();

		ticks_hasten(thread->postponed_until_ns > now ? thread->postponed_until_ns - now : 0);
	}
	/* ESRCH: the thread was killed meanwhile; target_wait reports it. */
	ptrace(step ? PTRACE_SINGLESTEP : to_syscall ? PTRACE_SYSCALL : PTRACE_CONT, thread->tid, 0, (long)signal);
}

bool thread_has_trap_pending(const struct thread *thread)
{
	enum { AT_ONCE = 16 };
	struct __ptrace_peeksiginfo_args which = {.nr = AT_ONCE};
	siginfo_t pending[AT_ONCE];
	uint64_t mask = 0;
	long n_pending;

	/* A SIGTRAP that the program blocks stays pending. The SIGTRAP of a step or breakpoint ignores the signal
	 * mask. */
	if (thread_get_signal_mask(thread, &mask) && mask >> (SIGTRAP - 1) & 1)
		return false;
	while ((n_pending = ptrace(PTRACE_PEEKSIGINFO, thread->tid, &which, pending)) > 0) {
		for (long i = 0; i < n_pending; i++)
			if (pending[i].si_signo == SIGTRAP)
				return true;
		which.off += (uint64_t)n_pending;
	}
	return false;
}

/* Waits until an interrupted thread has stopped. Other stops, of this thread or another, are kept for target_wait.
 * Returns false if the holder itself stops, because it is being killed. */
static bool wait_for_hold(struct target *target, const struct thread *holder, struct thread *other)
{
	while (!other->stopped) {
		struct thread *thread;
		int wait_status;
		pid_t tid = waitpid(-1, &wait_status, __WALL);

		if (tid < 0 && errno != EINTR)
			return true;
		if (tid <= 0)
			continue;
		thread = target_find_thread(target, tid);
		if (thread)
			thread->stopped = true;
		if (thread == other && WIFSTOPPED(wait_status) &&
		    wait_status >> 8 == (SIGTRAP | PTRACE_EVENT_STOP << 8)) {
			other->held = true;
			other->held_signal = 0;
			other->held_rip = 0;
			break;
		}
		*ARRAY_ADD(target, early_stops) = (struct early_stop){.tid = tid, .wait_status = wait_status};
		if (thread == holder)
			return false;
	}
	return true;
}

/* Stops all other threads of the process; threads that sleep in the kernel only if `sleepers` is true. Returns false
 * if the holder dies because a thread calls execve or exit_group. That thread waits until all others are gone, and
 * never stops. */
static bool hold_others(struct target *target, struct thread *holder, bool sleepers)
{
	struct process *process = holder->process;

	process->holder = holder;
	for (size_t i = 0; i < target->n_threads; i++) {
		struct thread *other = target->threads[i];

		if (other == holder || other->process != process || other->stopped || other->in_vfork ||
		    (!sleepers && !thread_is_running(other)))
			continue;
		if (ptrace(PTRACE_INTERRUPT, other->tid, 0, 0) == 0 && !wait_for_hold(target, holder, other))
			return false;
	}
	return true;
}

/* Resumes all held threads. */
static void release_others(struct target *target, struct process *process)
{
	process->holder = NULL;
	for (size_t i = 0; i < target->n_threads; i++) {
		struct thread *other = target->threads[i];

		if (other->process == process && other->held)
			thread_resume(target, other, other->mode, other->held_signal, other->held_rip);
	}
}

void thread_end_step_over(struct target *target, struct thread *thread)
{
	struct process *process = thread->process;

	if (!thread->lifted_va)
		return;
	process_replant_breakpoint(process, thread->lifted_va);
	thread->lifted_va = 0;
	if (process->holder != thread || thread->holds_others)
		return;
	release_others(target, process);
}

bool thread_hold_others(struct target *target, struct thread *thread)
{
	if (thread->process->holder)
		return false;
	thread->holds_others = hold_others(target, thread, false);
	if (!thread->holds_others)
		release_others(target, thread->process);
	return thread->holds_others;
}

void thread_release_others(struct target *target, struct thread *thread)
{
	if (!thread->holds_others)
		return;
	thread->holds_others = false;
	release_others(target, thread->process);
}

/* Returns true if a system call begins at rip. The call may wait for a thread that would be held. */
static bool may_wait_for_others(const struct process *process, uint64_t rip)
{
	static const uint8_t syscall[] = {0x0f, 0x05}, int80[] = {0xcd, 0x80};
	uint8_t opcode[2];

	return process_read(process, rip, opcode, sizeof(opcode)) == sizeof(opcode) &&
	       (memcmp(opcode, syscall, sizeof(opcode)) == 0 || memcmp(opcode, int80, sizeof(opcode)) == 0);
}

void thread_resume(struct target *target, struct thread *thread, enum resume_mode mode, int signal, uint64_t rip)
{
	struct process *process = thread->process;
	const struct breakpoint *breakpoint;

	thread->mode = mode;
	thread->entered_syscall = false;
	/* The frame of the signal handler must save the thread's own mask. */
	if (signal)
		thread_end_postponement(thread);
	if (thread->in_group_stop && ptrace(PTRACE_LISTEN, thread->tid, 0, 0) == 0) {
		thread->stopped = thread->knows_regs = false;
		return;
	}
	/* A system call that itrace made took the thread out of its group stop. It stops again at once. */
	if (thread->in_group_stop)
		thread_interrupt(thread);
	thread->in_group_stop = false;
	if (process->holder && process->holder != thread) {
		thread->held = true;
		thread->held_signal = signal;
		thread->held_rip = rip;
		return;
	}
	if (rip && rip != thread->reported_va)
		thread->reported_va = 0;
	breakpoint = rip ? process_find_breakpoint(process, rip) : NULL;
	if (breakpoint) {
		if (process->n_threads > 1 && !may_wait_for_others(process, rip) &&
		    !hold_others(target, thread, true)) {
			thread->holds_others = false;
			release_others(target, process);
			return;
		}
		thread->lifted_va = rip;
		process_lift_breakpoint(process, breakpoint);
	}
	thread_restart(thread, signal);
}
