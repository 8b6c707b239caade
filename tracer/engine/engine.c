#include "engine/engine.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "engine/backend.h"
#include "engine/process_engine.h"
#include "engine/stall.h"
#include "engine/threads/thread_totals.h"
#include "engine/visits/batches.h"
#include "engine/visits/task_visits.h"
#include "target/ticks.h"

/* Kills the program if it did not end in time, else sends it the signal that itrace received. */
static void kill_or_signal(pid_t pid, const struct interrupts *interrupts, struct profile *profile)
{
	if (interrupts->must_kill)
		profile_note(profile, "itrace killed the program, which did not end when it was told to");
	if (interrupts->must_kill || interrupts->signal)
		kill(pid, interrupts->must_kill ? SIGKILL : interrupts->signal);
}

static void handle_interrupts(struct run *run, struct interrupts *interrupts)
{
	struct process *first = run->target.process;

	if (!interrupts_take(interrupts))
		return;
	run->was_told_to_stop = true;
	/* itrace does not end processes that outlived the program. */
	if (run->plan->pid || (first->exited && !interrupts->must_kill)) {
		snprintf(run->reason, sizeof(run->reason), "when itrace was told to stop");
		run->is_leaving = true;
		return;
	}
	if (!first->exited)
		kill_or_signal(first->pid, interrupts, ((struct engine *)first->engine)->profile);
	for (size_t i = 0; interrupts->must_kill && i < run->target.n_processes; i++)
		if (run->target.processes[i] != first)
			kill(run->target.processes[i]->pid, SIGKILL);
}

/* At a tick: interrupts threads whose backends ask for it. */
static void interrupt_backends(struct run *run)
{
	for (size_t i = 0; i < run->target.n_threads; i++) {
		struct thread *thread = run->target.threads[i];
		const struct task *task = thread->task;
		struct backend *backend = task ? task->backend : NULL;

		if (thread->postpones_signals ||
		    (backend && backend->ops->on_tick && backend->ops->on_tick(backend, task)))
			thread_interrupt(thread);
	}
}

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
		BACKENDS_CALL(engine, release_process, helper);
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
		/* The engine of a followed process ends with its last thread. */
		if (thread->process->n_threads == 1 && thread->process != target->process)
			engine_finish(thread->process->engine);
		thread_detach(target, thread, signal);
	}
}

/* Detaches from all processes: each thread leaves its backend and is parked at its next stop. When all are parked, the
 * memory of their processes is restored, and they continue with the signals that they were about to receive. Returns
 * false, with the reason, if waiting for stops failed. */
static bool detach(struct run *run, struct error *err)
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

static bool run_to_end(struct run *run, struct interrupts *interrupts, struct error *err)
{
	unsigned n_ticks = ticks_count();
	struct stop stop;

	for (;;) {
		handle_interrupts(run, interrupts);
		if (run_is_over(run))
			return detach(run, err);
		if (!target_wait(&run->target, &stop, err))
			return false;
		if (stop.kind == STOP_ENDED)
			return true;
		if (stop.kind != STOP_INTERRUPTED)
			dispatch_stop(run, &stop);
		run->n_stops += stop.kind != STOP_INTERRUPTED;
		/* A tick during the handling of a stop does not interrupt the next wait. */
		if (stop.kind == STOP_INTERRUPTED || n_ticks != ticks_count()) {
			interrupt_backends(run);
			stall_detect(run);
		}
		n_ticks = ticks_count();
	}
}

static bool start(struct run *run, struct error *err)
{
	const struct trace_plan *plan = run->plan;
	struct engine *engine;

	if (plan->pid ? !target_attach(&run->target, plan->pid, err)
		      : !target_launch(&run->target, plan->argv, plan->disable_aslr, err))
		return false;
	run->target.follows_children = plan->follow;
	engine = engine_create(run, run->target.process);
	if (!engine_check_program(engine->process, err) || !engine_sync_triggers(engine, err))
		return false;
	engine_note_program(engine);
	if (!plan->pid)
		thread_resume(&run->target, run->target.threads[0], RESUME_RUN, 0, 0);
	return true;
}

/* Detaches from the processes that are left, or kills the one that was launched. */
static void end(struct run *run, bool kill_launched)
{
	struct process *first = run->target.process;
	struct error ignored = {0};

	if (first && kill_launched && !run->plan->pid)
		target_kill(&run->target, SIGKILL);
	else if (run->target.n_threads)
		detach(run, &ignored);
	for (size_t i = 0; i < run->target.n_threads; i++) {
		struct thread *thread = run->target.threads[i];

		if (thread->task) {
			batches_flush(thread->process->engine, thread->task);
			thread_totals_add_executions(thread->process->engine, thread->task);
		}
		task_destroy(thread->task);
	}
}

bool engine_run(const struct trace_plan *plan, struct interrupts *interrupts, struct profile *profile,
		struct error *err)
{
	struct run run = {.plan = plan, .begin_ns = monotonic_now_ns()};
	struct error late = {0};
	struct engine *engine;
	bool ok, runs = true;

	ok = start(&run, err);
	engine = run.target.process ? run.target.process->engine : NULL;
	ticks_start();
	if (ok) {
		runs = run_to_end(&run, interrupts, &late);
		if (!runs)
			profile_note(engine->profile, "tracing ended early: %s", late.text);
	}
	end(&run, !ok || !runs);
	ticks_stop();
	for (size_t i = 0; i < run.target.n_processes; i++)
		if (run.target.processes[i] != run.target.process && run.target.processes[i]->engine)
			engine_finish(run.target.processes[i]->engine);
	if (ok) {
		engine_record_end(engine);
		*profile = *engine->profile;
		profile_init(engine->profile);
	}
	engine_destroy(engine);
	reached_code_deinit(&run.reached_code);
	warm_codes_deinit(&run.warm_codes);
	code_forms_deinit(&run.forms);
	insn_memo_deinit(&run.memo);
	target_deinit(&run.target);
	return ok;
}

void engine_await_end(struct profile *profile, struct interrupts *interrupts)
{
	int wait_status;

	do {
		if (interrupts_take(interrupts))
			kill_or_signal(profile->pid, interrupts, profile);
	} while (!target_await_child(profile->pid, &wait_status));
	profile->exited = WIFEXITED(wait_status);
	if (profile->exited)
		profile->exit_status = WEXITSTATUS(wait_status);
	else
		profile->signal = WTERMSIG(wait_status);
}
