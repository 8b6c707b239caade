#include "engine/detach.h"

#include "engine/backend.h"
#include "engine/dispatch.h"
#include "engine/process_engine.h"
#include "engine/stall.h"
#include "engine/visits/task_visits.h"

/* A thread inside vfork counts as stopped: it stops only after its child has executed another program, and the child
 * must be detached before that. */
static bool is_stopped(const struct thread *thread)
{
	const struct task *task = thread->task;

	return thread->in_vfork || (task && (task->is_parked || task->is_exiting));
}

static bool are_stopped(const struct target *target)
{
	for (size_t i = 0; i < target->n_threads; i++)
		if (!is_stopped(target->threads[i]))
			return false;
	return true;
}

static bool any_in_vfork(const struct target *target)
{
	for (size_t i = 0; i < target->n_threads; i++)
		if (target->threads[i]->in_vfork)
			return true;
	return false;
}

/* Handles the next stop. Returns false when waiting failed or no thread is left. */
static bool handle_next(struct run *run, struct error *err)
{
	struct stop stop;

	if (stall_persists(run)) {
		target_abandon(&run->target);
		return false;
	}
	if (!target_wait(&run->target, &stop, err) || stop.kind == STOP_ENDED)
		return false;
	if (stop.kind != STOP_INTERRUPTED)
		dispatch_stop(run, &stop);
	return true;
}

/* Returns a thread that can make system calls for itrace, or NULL. */
static struct task *find_helper(const struct target *target, const struct process *process)
{
	for (size_t i = 0; i < target->n_threads; i++) {
		struct thread *thread = target->threads[i];
		struct task *task = thread->task;

		if (thread->process == process && !thread->is_guest && !thread->in_vfork && !thread->in_group_stop &&
		    !thread->in_syscall && task->is_parked && !task->parked_signal)
			return task;
	}
	return NULL;
}

static void restore(const struct target *target, struct process *process)
{
	struct engine *engine = process->engine;
	struct task *helper = find_helper(target, process);

	if (engine && helper)
		backends_release_process(engine, helper);
	process_remove_all_breakpoints(process);
}

static void detach_parked(struct target *target)
{
	for (size_t i = target->n_threads; i-- > 0;) {
		struct thread *thread = target->threads[i];
		struct task *task = thread->task;
		int signal;

		if (!task || !task->is_parked)
			continue;
		signal = task->parked_signal;
		task_destroy(task);
		thread->task = NULL;
		/* When its last thread goes, a followed process takes its engine along. */
		if (thread->process->n_threads == 1 && thread->process != target->process)
			engine_finish(thread->process->engine);
		thread_detach(target, thread, signal);
	}
}

bool run_detach(struct run *run, struct error *err)
{
	struct target *target = &run->target;

	run->is_leaving = true;
	for (size_t i = 0; i < target->n_threads; i++)
		if (!is_stopped(target->threads[i]) || target->threads[i]->in_vfork)
			thread_interrupt(target->threads[i]);
	while (!are_stopped(target))
		if (!handle_next(run, err))
			return err->kind == ERROR_NONE;
	for (size_t i = 0; i < target->n_processes; i++)
		restore(target, target->processes[i]);
	detach_parked(target);
	while (any_in_vfork(target)) {
		if (!handle_next(run, err))
			return err->kind == ERROR_NONE;
		detach_parked(target);
	}
	return true;
}
