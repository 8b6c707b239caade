/* The processes and threads that are traced. */
#include <stdlib.h>
#include <sys/ptrace.h>

#include "base/array.h"
#include "target/internal.h"

struct process *target_add_process(struct target *target, pid_t pid)
{
	struct process *process = xcalloc(1, sizeof(*process));

	process->pid = pid;
	process->memory_fd = -1;
	process->outlives_itrace = target->outlives_itrace;
	*ARRAY_ADD(target, processes) = process;
	return process;
}

struct thread *target_add_thread(struct target *target, struct process *process, pid_t tid)
{
	struct thread *thread = xcalloc(1, sizeof(*thread));

	thread->tid = tid;
	thread->process = process;
	thread->index = target->n_threads;
	*ARRAY_ADD(target, threads) = thread;
	HASH_ADD_INT(target->by_tid, tid, thread);
	process->n_threads++;
	return thread;
}

struct thread *target_find_thread(struct target *target, pid_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(target->by_tid, &tid, thread);
	return thread;
}

void target_rename_thread(struct target *target, struct thread *thread, pid_t tid)
{
	HASH_DEL(target->by_tid, thread);
	thread->tid = tid;
	HASH_ADD_INT(target->by_tid, tid, thread);
}

void target_remove_thread(struct target *target, struct thread *thread)
{
	thread_release_others(target, thread);
	HASH_DEL(target->by_tid, thread);
	target->threads[thread->index] = target->threads[--target->n_threads];
	target->threads[thread->index]->index = thread->index;
	thread->process->n_threads--;
}

static void remove_process(struct target *target, struct process *process)
{
	for (size_t i = 0; i < target->n_processes; i++) {
		if (target->processes[i] != process)
			continue;
		target->processes[i] = target->processes[--target->n_processes];
		break;
	}
	process_destroy(process);
}

void target_free_thread(struct target *target, struct thread *thread)
{
	if (!thread->process->n_threads && thread->process != target->process)
		remove_process(target, thread->process);
	free(thread);
}

void thread_detach(struct target *target, struct thread *thread, int signal)
{
	thread_end_postponement(thread);
	for (size_t i = 0; thread->has_early_stop && !signal && i < target->n_early_stops; i++)
		if (target->early_stops[i].tid == thread->tid && target->early_stops[i].wait_status >> 16 == 0)
			signal = WSTOPSIG(target->early_stops[i].wait_status);
	ptrace(PTRACE_DETACH, thread->tid, 0, (long)signal);
	target_remove_thread(target, thread);
	target_free_thread(target, thread);
}

void target_deinit(struct target *target)
{
	HASH_CLEAR(hh, target->by_tid);
	for (size_t i = 0; i < target->n_threads; i++) {
		thread_end_postponement(target->threads[i]);
		ptrace(PTRACE_DETACH, target->threads[i]->tid, 0, 0);
		free(target->threads[i]);
	}
	for (size_t i = 0; i < target->n_processes; i++)
		process_destroy(target->processes[i]);
	free(target->processes);
	free(target->threads);
	free(target->gone);
	free(target->early_stops);
	free(target->ready);
	*target = (struct target){0};
}
