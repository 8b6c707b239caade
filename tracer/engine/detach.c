/* Letting programs go. Each thread comes out of translated code and is parked at its next stop; when all are, the memory of their
 * processes is made as it was, and they are let go with the signals that they were about to receive. */
#include "engine/run.h"
#include "engine/translate/translate.h"

/* One whose vfork child has yet to execute another program stops only then, which takes that child to be let go. */
static bool is_settled(const struct thread *thread)
{
	const struct task *task = thread->task;

	return thread->in_vfork || (task && (task->is_parked || task->is_exiting));
}

static bool are_settled(const struct target *target)
{
	for (size_t i = 0; i < target->n_threads; i++)
		if (!is_settled(target->threads[i]))
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

/* False when that failed, or when no thread is left. */
static bool handle_next(struct run *run, struct error *err)
{
	struct stop stop;

	if (!target_wait(&run->target, &stop, err) || stop.kind == STOP_ENDED)
		return false;
	if (stop.kind != STOP_INTERRUPTED)
		stops_handle(run, &stop);
	return true;
}

/* A thread that can make system calls for us. */
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

	if (engine && engine->translator && helper)
		translate_unmap(engine->translator, helper);
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
		/* What is left of a process that was followed goes with its last thread. */
		if (thread->process->n_threads == 1 && thread->process != target->process)
			engine_finish(thread->process->engine);
		thread_detach(target, thread, signal);
	}
}

bool run_leave(struct run *run, struct error *err)
{
	struct target *target = &run->target;

	run->is_leaving = true;
	for (size_t i = 0; i < target->n_threads; i++)
		if (!is_settled(target->threads[i]) || target->threads[i]->in_vfork)
			thread_interrupt(target->threads[i]);
	while (!are_settled(target))
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
