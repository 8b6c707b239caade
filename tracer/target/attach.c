#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "target/internal.h"

/* PF_KTHREAD of Linux' include/linux/sched.h, in the flags of /proc/PID/stat. */
#define KERNEL_THREAD_FLAG 0x00200000u

/* Finds errors that PTRACE_SEIZE would report with a less specific errno. */
static bool check_process(pid_t pid, struct error *err)
{
	char value[64];

	if (pid == getpid())
		return error_set(err, ERROR_USAGE, "-p %d is itrace itself", (int)pid);
	if (!proc_status_field(pid, "Tgid", value, sizeof(value)))
		return error_set(err, ERROR_USAGE, "there is no process %d", (int)pid);
	if (atoi(value) != pid)
		return error_set(err, ERROR_USAGE, "%d is a thread of process %s; -p %s traces all its threads",
				 (int)pid, value, value);
	if (!process_is_alive(pid))
		return error_set(err, ERROR_USAGE, "process %d has ended and only waits for its parent to notice",
				 (int)pid);
	if (proc_flags(pid) & KERNEL_THREAD_FLAG)
		return error_set(err, ERROR_USAGE, "process %d is a thread of the kernel; ptrace reaches programs only",
				 (int)pid);
	return true;
}

/* Seizes the threads that exist and are not seized yet; *n_new is their number. Returns false if ptrace is refused. */
static bool seize_threads(struct target *target, size_t *n_new, struct error *err)
{
	pid_t pid = target->process->pid, *tids = NULL;
	size_t n_tids = 0;
	bool ok = true;

	*n_new = 0;
	process_find_threads(pid, &tids, &n_tids);
	for (size_t i = 0; i < n_tids && ok; i++) {
		char tracer[32];

		if (target_find_thread(target, tids[i]))
			continue;
		if (ptrace(PTRACE_SEIZE, tids[i], 0, SEIZE_OPTIONS) == 0) {
			target_add_thread(target, target->process, tids[i]);
			ptrace(PTRACE_INTERRUPT, tids[i], 0, 0);
			++*n_new;
			continue;
		}
		/* The thread has ended, or it is a child of a seized thread, which will report it. */
		if (errno == ESRCH ||
		    (proc_status_field(tids[i], "TracerPid", tracer, sizeof(tracer)) && atoi(tracer) == getpid()))
			continue;
		ok = target_explain_refusal(tids[i], errno, err);
	}
	free(tids);
	return ok;
}

/* Collects the stops so far. Returns true if all threads have stopped. */
static bool collect_stops(struct target *target)
{
	bool all = true;

	for (size_t i = 0; i < target->n_threads; i++) {
		struct thread *thread = target->threads[i];
		int wait_status;

		if (!thread->stopped && waitpid(thread->tid, &wait_status, __WALL | WNOHANG) == thread->tid) {
			thread->stopped = true;
			*ARRAY_ADD(target, early_stops) = (struct early_stop){.tid = thread->tid,
									      .wait_status = wait_status};
		}
		all &= thread->stopped;
	}
	return all;
}

/* A fork that began before its thread was seized creates a child that nobody traces. The fork must end before a
 * breakpoint is planted, which the child would inherit. Gives up after about a second: a thread in uninterruptible
 * sleep does not stop. */
static void await_stops(struct target *target)
{
	enum { TRIES = 1000, PAUSE_NS = 1000000 };

	for (int i = 0; i < TRIES && !collect_stops(target); i++)
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

bool target_attach(struct target *target, pid_t pid, struct error *err)
{
	size_t n_new;

	if (!check_process(pid, err))
		return false;
	memset(target, 0, sizeof(*target));
	target->outlives_itrace = true;
	target->process = target_add_process(target, pid);
	/* Repeats, because a thread may create others until it is seized. */
	do {
		if (!seize_threads(target, &n_new, err)) {
			target_deinit(target);
			return false;
		}
	} while (n_new);
	await_stops(target);
	if (target->n_threads && process_reopen_memory(target->process))
		return true;
	error_set_errno(err, ERROR_ENVIRONMENT, "cannot open the memory of process %d (/proc/%d/mem)", (int)pid,
			(int)pid);
	target_deinit(target);
	return false;
}
