#include <errno.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "target/internal.h"

static void drop_early_stop(struct target *target, size_t i)
{
	memmove(&target->early_stops[i], &target->early_stops[i + 1],
		(--target->n_early_stops - i) * sizeof(*target->early_stops));
}

/* Waits for the first stop of a child whose creation was just reported. Returns false if it died at once. */
static bool wait_for_first_stop(struct target *target, pid_t tid)
{
	int wait_status;

	for (size_t i = 0; i < target->n_early_stops; i++) {
		if (target->early_stops[i].tid != tid)
			continue;
		wait_status = target->early_stops[i].wait_status;
		drop_early_stop(target, i);
		return WIFSTOPPED(wait_status);
	}
	while (waitpid(tid, &wait_status, __WALL) < 0)
		if (errno != EINTR)
			return false;
	return WIFSTOPPED(wait_status);
}

static bool shares_memory(pid_t parent, pid_t child, int event)
{
	long order = syscall(SYS_kcmp, parent, child, KCMP_VM, 0, 0);

	return order >= 0 ? order == 0 : event != PTRACE_EVENT_FORK;
}

static void add_ready(struct target *target, enum stop_kind kind, struct thread *thread, struct thread *parent)
{
	*ARRAY_ADD(target, ready) = (struct stop){.kind = kind, .thread = thread, .parent = parent};
}

/* Follows or detaches a process that `creator` started and that does not share memory. */
static void take_process(struct target *target, pid_t pid, struct process *creator, enum stop_kind kind,
			 struct thread *parent)
{
	struct process *process;
	struct thread *thread;

	if (!target->follows_children) {
		creator->n_detached++;
		ptrace(PTRACE_DETACH, pid, 0, 0);
		return;
	}
	process = target_add_process(target, pid);
	thread = target_add_thread(target, process, pid);
	thread->stopped = true;
	if (process_reopen_memory(process)) {
		add_ready(target, kind, thread, parent);
		return;
	}
	/* The process was killed meanwhile, or itrace has no free descriptors. */
	creator->n_detached++;
	thread_detach(target, thread, 0);
}

static void on_creation(struct target *target, struct thread *parent, int event)
{
	unsigned long message = 0;
	struct thread *child;
	pid_t tid;

	ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &message);
	tid = (pid_t)message;
	if (!tid || !wait_for_first_stop(target, tid)) {
		add_ready(target, STOP_CONTINUE, parent, NULL);
		return;
	}
	if (event == PTRACE_EVENT_CLONE && syscall(SYS_tgkill, parent->process->pid, tid, 0) == 0) {
		child = target_add_thread(target, parent->process, tid);
		child->stopped = true;
		child->is_guest = parent->is_guest;
		add_ready(target, STOP_THREAD, child, parent);
	} else if (shares_memory(parent->tid, tid, event)) {
		child = target_add_thread(target, parent->process, tid);
		child->stopped = true;
		child->is_guest = true;
		parent->in_vfork = event == PTRACE_EVENT_VFORK;
		thread_resume(target, child, RESUME_RUN, 0, 0);
	} else {
		process_restore_copy(parent->process, tid);
		take_process(target, tid, parent->process, STOP_PROCESS, parent);
	}
	add_ready(target, STOP_CONTINUE, parent, NULL);
}

static void on_guest_exec(struct target *target, struct thread *guest)
{
	target_remove_thread(target, guest);
	add_ready(target, STOP_GONE, guest, NULL);
	take_process(target, guest->tid, guest->process, STOP_EXEC, NULL);
}

static bool on_exec(struct target *target, struct thread *thread, struct error *err)
{
	struct process *process = thread->process;
	unsigned long former = 0;
	struct thread *caller;

	/* The stop carries the leader's ID, whichever thread called exec. The leader's own thread is gone. */
	ptrace(PTRACE_GETEVENTMSG, thread->tid, 0, &former);
	caller = target_find_thread(target, (pid_t)former);
	if (caller && caller != thread) {
		target_remove_thread(target, thread);
		target_rename_thread(target, caller, thread->tid);
		caller->stopped = true;
		thread->tid = 0;
		add_ready(target, STOP_GONE, thread, NULL);
		thread = caller;
	}
	thread->lifted_va = thread->reported_va = 0;
	thread->holds_others = false;
	process->holder = NULL;
	if (!process_reopen_memory(process))
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot open the memory of process %d after exec",
				       (int)process->pid);
	add_ready(target, STOP_EXEC, thread, NULL);
	return true;
}

/* A SIGTRAP without an event. Its meaning depends on how the thread was resumed. */
static void on_trap(struct target *target, struct thread *thread, bool was_lifted)
{
	struct target_regs regs;

	if (thread->mode != RESUME_RUN) {
		thread->reported_va = 0;
		add_ready(target, STOP_TRAP, thread, NULL);
		return;
	}
	if (!thread_get_regs(thread, &regs)) {
		add_ready(target, STOP_CONTINUE, thread, NULL);
		return;
	}
	if (was_lifted && thread_signal_code(thread) != TRAP_CODE_KERNEL) {
		if (thread_signal_code(thread) != TRAP_CODE_HANDLER_ENTRY)
			thread->reported_va = 0;
		thread_resume(target, thread, RESUME_RUN, 0, 0);
		return;
	}
	if (process_find_breakpoint(thread->process, regs.rip - 1) && thread_signal_code(thread) == TRAP_CODE_KERNEL) {
		regs.rip--;
		thread_set_regs(thread, &regs);
		if (thread->reported_va == regs.rip && thread->reported_rsp == regs.rsp) {
			thread_resume(target, thread, RESUME_RUN, 0, regs.rip);
			return;
		}
		thread->reported_va = regs.rip;
		thread->reported_rsp = regs.rsp;
		add_ready(target, STOP_BREAKPOINT, thread, NULL);
		return;
	}
	add_ready(target, STOP_TRAP, thread, NULL);
}

/* Called when a system call begins, and again when it ends. */
static void on_syscall(struct target *target, struct thread *thread)
{
	/* thread_check_postponement has restored the thread's own signal mask for the call. */
	if (thread->mode == RESUME_RUN) {
		thread_restart(thread, 0);
		return;
	}
	thread->entered_syscall = !thread->entered_syscall;
	if (thread->entered_syscall)
		thread_restart(thread, 0);
	else
		add_ready(target, STOP_TRAP, thread, NULL);
}

static bool on_wait_status(struct target *target, struct thread *thread, int wait_status, struct error *err)
{
	bool was_lifted = thread->lifted_va != 0;
	int event = wait_status >> 16;

	thread->stopped = true;
	thread->knows_regs = thread->has_early_stop = false;
	thread->in_vfork = thread->in_group_stop = false;
	thread->in_syscall = event && event != PTRACE_EVENT_STOP;
	thread_end_step_over(target, thread);
	thread_check_postponement(thread, wait_status);
	if (WIFEXITED(wait_status) || WIFSIGNALED(wait_status)) {
		if (thread->tid == thread->process->pid) {
			thread->process->exited = true;
			thread->process->wait_status = wait_status;
		}
		target_remove_thread(target, thread);
		add_ready(target, STOP_GONE, thread, NULL);
		return true;
	}
	switch (event) {
	case 0:
		if (WSTOPSIG(wait_status) == SIGTRAP) {
			on_trap(target, thread, was_lifted);
		} else if (WSTOPSIG(wait_status) == SYSCALL_STOP) {
			on_syscall(target, thread);
		} else {
			add_ready(target, STOP_SIGNAL, thread, NULL);
			target->ready[target->n_ready - 1].signal = WSTOPSIG(wait_status);
		}
		return true;
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		on_creation(target, thread, event);
		return true;
	case PTRACE_EVENT_EXEC:
		if (!thread->is_guest)
			return on_exec(target, thread, err);
		on_guest_exec(target, thread);
		return true;
	case PTRACE_EVENT_VFORK_DONE:
		/* in_vfork was true until now, so the thread has executed nothing since. */
		add_ready(target, STOP_CONTINUE, thread, NULL);
		return true;
	case PTRACE_EVENT_EXIT:
		add_ready(target, STOP_EXITING, thread, NULL);
		return true;
	default: /* PTRACE_EVENT_STOP */
		if (thread_has_trap_pending(thread)) {
			thread_restart(thread, 0);
			return true;
		}
		thread->in_group_stop = WSTOPSIG(wait_status) != SIGTRAP;
		add_ready(target, STOP_CONTINUE, thread, NULL);
		return true;
	}
}

/* Continues a thread that was killed before its creation was reported. Returns false if this status reports no
 * death. */
static bool forget_unreported_thread(struct target *target, pid_t tid, int wait_status)
{
	if (WIFSTOPPED(wait_status) && wait_status >> 16 != PTRACE_EVENT_EXIT)
		return false;
	if (WIFSTOPPED(wait_status))
		ptrace(PTRACE_CONT, tid, 0, 0);
	for (size_t i = target->n_early_stops; i-- > 0;)
		if (target->early_stops[i].tid == tid)
			drop_early_stop(target, i);
	return true;
}

/* Takes the oldest status that can be handled now. */
static struct thread *take_early_stop(struct target *target, int *wait_status)
{
	for (size_t i = 0; i < target->n_early_stops; i++) {
		struct thread *thread = target_find_thread(target, target->early_stops[i].tid);

		if (!thread || (thread->process->holder && thread->process->holder != thread))
			continue;
		*wait_status = target->early_stops[i].wait_status;
		drop_early_stop(target, i);
		return thread;
	}
	return NULL;
}

/* Waits until a thread has stopped. If there are few threads, or every few calls, also collects all other stops so
 * far. Linux reports the stops of the youngest threads first. If each stop were handled before the next is collected,
 * threads that stop often would starve the others. */
static bool wait_for_stops(struct target *target)
{
	enum { THREADS_PER_WAIT = 16 };
	int wait_status, options = __WALL;
	pid_t tid;

	while ((tid = waitpid(-1, &wait_status, options)) > 0) {
		struct thread *thread = target_find_thread(target, tid);

		options = __WALL | WNOHANG;
		if (!thread && forget_unreported_thread(target, tid, wait_status))
			continue;
		if (thread)
			thread->stopped = true;
		*ARRAY_ADD(target, early_stops) = (struct early_stop){.tid = tid, .wait_status = wait_status};
		/* A waitpid that finds nothing makes Linux look at every thread. */
		if (++target->n_waits % (1 + target->n_threads / THREADS_PER_WAIT))
			break;
	}
	return options != __WALL;
}

bool target_wait(struct target *target, struct stop *stop, struct error *err)
{
	if (target->gone) {
		target_free_thread(target, target->gone);
		target->gone = NULL;
	}
	while (!target->n_ready) {
		struct thread *thread;
		int wait_status;

		if (!target->n_threads) {
			*stop = (struct stop){.kind = STOP_ENDED};
			return true;
		}
		thread = take_early_stop(target, &wait_status);
		if (thread) {
			if (!on_wait_status(target, thread, wait_status, err))
				return false;
		} else if (!wait_for_stops(target)) {
			if (errno != EINTR && errno != ECHILD)
				return error_set_errno(err, ERROR_ENVIRONMENT, "cannot wait for the program");
			*stop = (struct stop){.kind = errno == EINTR ? STOP_INTERRUPTED : STOP_ENDED};
			return true;
		}
	}
	*stop = target->ready[0];
	memmove(&target->ready[0], &target->ready[1], --target->n_ready * sizeof(*target->ready));
	if (stop->kind == STOP_GONE)
		target->gone = stop->thread;
	return true;
}

void target_kill(struct target *target, int signal)
{
	if (target->process && !target->process->exited)
		kill(target->process->pid, signal);
}

static bool waits_for_tracer(struct target *target, pid_t tid)
{
	const struct thread *thread = target_find_thread(target, tid);
	char state[32];

	return (!thread || !thread->in_group_stop) && proc_status_field(tid, "State", state, sizeof(state)) &&
	       state[0] == 't';
}

pid_t target_find_waiting(struct target *target)
{
	pid_t found = 0;

	for (size_t i = 0; i < target->n_processes && !found; i++) {
		pid_t *tids = NULL;
		size_t n_tids = 0;

		process_find_threads(target->processes[i]->pid, &tids, &n_tids);
		for (size_t j = 0; j < n_tids && !found; j++)
			if (waits_for_tracer(target, tids[j]))
				found = tids[j];
		free(tids);
	}
	return found;
}

void target_abandon(struct target *target)
{
	for (size_t i = 0; i < target->n_processes; i++) {
		pid_t *tids = NULL;
		size_t n_tids = 0;

		if (!target->outlives_itrace)
			kill(target->processes[i]->pid, SIGKILL);
		process_find_threads(target->processes[i]->pid, &tids, &n_tids);
		for (size_t j = 0; j < n_tids; j++)
			ptrace(PTRACE_DETACH, tids[j], 0, 0);
		free(tids);
	}
}

bool target_await_child(pid_t pid, int *wait_status)
{
	pid_t tid;

	/* A process that was exiting could not be detached, and is reaped here. Its parent, perhaps `pid`, can reap it
	 * only afterwards. */
	while ((tid = waitpid(-1, wait_status, __WALL)) != pid && tid > 0)
		if (WIFSTOPPED(*wait_status))
			ptrace(PTRACE_DETACH, tid, 0, 0);
	if (tid == pid)
		return true;
	if (errno == EINTR)
		return false;
	/* If SIGCHLD is ignored, the kernel discards the status. */
	*wait_status = 0;
	return true;
}
