#include "engine/run.h"

#include <signal.h>

#include "base/array.h"
#include "engine/backend.h"
#include "engine/process_engine.h"
#include "engine/syscalls.h"
#include "engine/visits/batches.h"
#include "engine/visits/counting.h"
#include "engine/visits/handle_triggers.h"
#include "engine/visits/task_visits.h"

/* Setting up translated code costs as much as about 200 steps; each later entry and exit as much as about ten
 * (tests/bench/README.md). */
enum { AUTO_STEPS_SET_UP = 200, AUTO_STEPS_ENTER = 10 };

/* Returns true if entering the fast backend pays (--engine auto). It is set up once for all visits, so the steps of all
 * visits count; it is entered in each visit. */
static bool pays_off(const struct engine *engine, const struct task *task, const struct backend *fast)
{
	/* With --all, hardly any program is so short that stepping it all is faster. */
	if (task->visits.n_visits && task->visits.visits[0].end == VISIT_ENDS_WITH_PROGRAM)
		return true;
	if (fast->ops->is_set_up(fast))
		return task->n_stepped >= AUTO_STEPS_ENTER;
	return engine->n_instructions >= AUTO_STEPS_SET_UP;
}

/* Returns the fast backend if it may and should execute the thread's next instructions, else NULL. */
static struct backend *choose_fast(const struct engine *engine, const struct task *task)
{
	struct backend *fast = engine->n_backends > 1 ? engine->backends[1] : NULL;

	if (!fast || task->must_step || task->must_reach_jump || task->program_tf || task->thread->is_guest ||
	    run_is_near_limit(engine->run))
		return NULL;
	return engine->plan->engine != ENGINE_AUTO || pays_off(engine, task, fast) ? fast : NULL;
}

/* Gives a thread in a region, at regs->rip, to a backend. */
static void enter_backend(struct engine *engine, struct task *task, const struct target_regs *regs, int signal)
{
	struct backend *fast = NULL;

	if (!signal && !syscalls_is_interrupted(regs))
		fast = choose_fast(engine, task);
	if (fast && fast->ops->enter(fast, task, regs, signal)) {
		engine->used = fast;
		run_hasten_tick(engine->run);
	} else {
		engine->backends[0]->ops->enter(engine->backends[0], task, regs, signal);
	}
}

/* Keeps the thread stopped until it is detached. `signal`, if not 0, is delivered then. */
static void park(struct engine *engine, struct task *task, int signal)
{
	struct target_regs regs;

	if (task->section_abort_va && thread_get_regs(task->thread, &regs))
		rseq_stepping_abort(engine, task, &regs);
	task->is_parked = true;
	task->parked_signal = signal;
	task_cut_visits(engine, task);
}

/* The thread is at regs->rip, about to receive `signal` unless that is 0. Handles the triggers there, then continues
 * the thread. */
static void advance(struct engine *engine, struct task *task, struct target_regs *regs, int signal)
{
	if (run_is_over(engine->run)) {
		park(engine, task, signal);
		return;
	}
	if (signal)
		rseq_stepping_abort(engine, task, regs);
	for (;;) {
		const struct code_site *site;

		if (!signal)
			handle_triggers(engine, task, regs);
		if (!task->visits.n_visits) {
			rseq_stepping_abort(engine, task, regs);
			task_set_native(engine, task, true);
			thread_resume(engine->target, task->thread, RESUME_RUN, signal, regs->rip);
			return;
		}
		site = code_at(&engine->code, regs->rip);
		if (signal || site->insn.flow != FLOW_INTERRUPT || site->insn.interrupt_vector != 3 ||
		    thread_handles(task->thread, SIGTRAP))
			break;
		regs->rip += site->insn.length;
		handle_int3(engine, task, regs);
		if (!thread_set_regs(task->thread, regs))
			break;
	}
	rseq_stepping_enter(engine, task, regs);
	enter_backend(engine, task, regs, signal);
}

/* A thread that runs natively received a SIGTRAP away from itrace's breakpoints. */
static void on_native_trap(struct engine *engine, struct task *task)
{
	struct target_regs regs;
	int code = thread_signal_code(task->thread);

	if (!thread_get_regs(task->thread, &regs))
		return;
	task->program_tf = regs.eflags & EFLAGS_TF;
	if (code == TRAP_CODE_KERNEL && !thread_handles(task->thread, SIGTRAP)) {
		handle_int3(engine, task, &regs);
		advance(engine, task, &regs, 0);
	} else {
		advance(engine, task, &regs, SIGTRAP);
	}
}

static void on_trap(struct engine *engine, struct task *task)
{
	struct backend *backend = task->backend;
	struct target_regs regs;
	int signal = 0;

	if (!backend)
		on_native_trap(engine, task);
	else if (backend->ops->on_trap(backend, task, &regs, &signal) == BACKEND_OUT)
		advance(engine, task, &regs, signal);
}

static void on_interrupt(struct engine *engine, struct task *task)
{
	struct backend *backend = task->backend;
	enum backend_outcome outcome = BACKEND_OUT;
	struct target_regs regs;
	int signal = 0;

	if (backend)
		outcome = backend->ops->on_interrupt(backend, task, &regs, &signal);
	else if (!thread_get_regs(task->thread, &regs))
		return;
	if (!backend && task->thread->in_syscall && task->visits.n_visits && !engine->run->is_leaving) {
		/* itrace attached to the thread inside a system call, which must return first. */
		thread_interrupt(task->thread);
		thread_resume(engine->target, task->thread, RESUME_RUN, 0, 0);
		return;
	}
	if (outcome == BACKEND_OUT)
		advance(engine, task, &regs, signal);
}

static void on_signal(struct engine *engine, struct task *task, int signal)
{
	struct backend *backend = task->backend;
	enum backend_outcome outcome = BACKEND_OUT;
	uint64_t now_ns = monotonic_now_ns();
	struct target_regs regs;

	if (signal == SIGSEGV && backends_on_fault(engine, task)) {
		on_interrupt(engine, task);
		return;
	}
	if (backend)
		outcome = backend->ops->on_signal(backend, task, &regs, &signal);
	else if (!thread_get_regs(task->thread, &regs))
		return;
	/* The backend may have found that the handler of an earlier signal has returned. */
	task->signalled_ns = now_ns;
	if (outcome == BACKEND_OUT)
		advance(engine, task, &regs, signal);
}

/* Handles the first stop of a thread that ran before itrace attached. With --all, the thread's visit begins here. */
static void adopt(struct engine *engine, struct task *task)
{
	struct target_regs regs;

	if (engine->plan->whole_program && thread_get_regs(task->thread, &regs))
		task_begin_visit(engine, task, profile_intern_region(engine->profile, "all", PROFILE_NONE),
				 VISIT_ENDS_WITH_PROGRAM, regs.rsp);
}

/* Puts the thread of a forked process into the regions of its parent. */
static void inherit_visits(struct engine *engine, struct task *task, const struct engine *from,
			   const struct task *parent)
{
	for (size_t i = 0; i < parent->n_handlers; i++)
		*ARRAY_ADD(task, handlers) = parent->handlers[i];
	for (size_t i = 0; i < parent->visits.n_visits; i++) {
		const struct visit *visit = &parent->visits.visits[i];
		const char *name = from->profile->regions[visit->region].name;

		task->n_handlers = visit->begin.handler_depth;
		task_begin_visit(engine, task, profile_intern_region(engine->profile, name, PROFILE_NONE), visit->end,
				 visit->begin.rsp);
	}
	task->n_handlers = parent->n_handlers;
	task_update_counting(engine, task);
}

static void on_new_process(struct engine *engine, struct task *task, struct thread *parent)
{
	const struct engine *from = parent->process->engine;
	const struct task *parent_task = parent->task;
	struct target_regs regs;

	if (!thread_get_regs(task->thread, &regs))
		return;
	if (engine->run->is_leaving) {
		park(engine, task, 0);
		return;
	}
	engine_sync_triggers_or_note(engine);
	engine_inherit_functions(engine, from);
	if (parent_task && !parent->is_guest) {
		inherit_visits(engine, task, from, parent_task);
		/* SYSCALL saved the flags with the TF by which the parent was stepped. */
		if (parent_task->backend == from->backends[0] && !parent_task->program_tf && regs.r11 & EFLAGS_TF) {
			regs.r11 &= ~(uint64_t)EFLAGS_TF;
			thread_set_regs(task->thread, &regs);
		}
	}
	advance(engine, task, &regs, 0);
}

static void on_new_thread(struct engine *engine, struct task *task, struct thread *parent)
{
	const struct task *parent_task = parent->task;
	struct target_regs regs;

	if (!thread_get_regs(task->thread, &regs))
		return;
	task_set_native(engine, task, false);
	/* --all includes every thread of the program. */
	for (size_t i = 0; parent_task && i < parent_task->visits.n_visits; i++)
		if (parent_task->visits.visits[i].end == VISIT_ENDS_WITH_PROGRAM)
			task_begin_visit(engine, task, parent_task->visits.visits[i].region, VISIT_ENDS_WITH_PROGRAM,
					 regs.rsp);
	advance(engine, task, &regs, 0);
}

static void on_exec(struct engine *engine, struct task *task)
{
	struct backend *stepping = engine->backends[0];
	struct target_regs regs;
	struct error why;
	int signal = 0;

	/* Counts the system call. */
	if (task->backend == stepping)
		stepping->ops->on_signal(stepping, task, &regs, &signal);
	task_cut_visits(engine, task);
	rseq_sections_deinit(&engine->sections);
	task->section_abort_va = 0;
	engine->handles_sigtrap = false;
	triggers_reset(&engine->triggers);
	BACKENDS_CALL(engine, forget_process);
	engine_name_program(engine);
	if (engine->run->is_leaving) {
		park(engine, task, 0);
		return;
	}
	if (engine_check_program(task->thread->process, &why))
		engine_sync_triggers_or_note(engine);
	else
		profile_note(engine->profile, "the program executed another one that was not traced: %s", why.text);
	engine_note_program(engine);
	thread_resume(engine->target, task->thread, RESUME_RUN, 0, 0);
}

static void on_exiting(struct engine *engine, struct task *task)
{
	task->is_exiting = true;
	if (task->backend)
		task->backend->ops->on_exiting(task->backend, task);
	task_cut_visits(engine, task);
	/* The end of the thread may be reported much later. */
	BACKENDS_CALL(engine, on_gone, task);
	batches_end(engine, task);
	thread_resume(engine->target, task->thread, RESUME_RUN, 0, 0);
}

static void on_gone(struct engine *engine, struct thread *thread)
{
	struct task *task = thread->task;

	if (task) {
		task_cut_visits(engine, task);
		BACKENDS_CALL(engine, on_gone, task);
		batches_end(engine, task);
		task_set_native(engine, task, false);
		engine->n_tasks--;
		task_destroy(task);
		thread->task = NULL;
	}
	if (!thread->process->n_threads && thread->process != engine->target->process)
		engine_finish(engine);
}

/* A guest (target.h) runs natively, even while threads that share its memory are in a region. */
static void on_guest(struct engine *engine, struct task *task, const struct stop *stop)
{
	int signal = stop->kind == STOP_SIGNAL ? stop->signal : stop->kind == STOP_TRAP ? SIGTRAP : 0;
	struct target_regs regs;

	if (!thread_get_regs(stop->thread, &regs))
		return;
	if (signal == SIGSEGV && backends_on_fault(engine, task))
		signal = 0;
	if (engine->run->is_leaving)
		park(engine, task, signal);
	else
		thread_resume(engine->target, stop->thread, RESUME_RUN, signal, regs.rip);
}

static void on_breakpoint(struct engine *engine, struct task *task)
{
	struct target_regs regs;

	if (!thread_get_regs(task->thread, &regs))
		return;
	task->triggered_va = 0;
	task->program_tf = regs.eflags & EFLAGS_TF;
	advance(engine, task, &regs, 0);
}

void dispatch_stop(struct run *run, const struct stop *stop)
{
	struct thread *thread = stop->thread;
	struct engine *engine = thread->process->engine;
	struct task *task = thread->task;

	if (stop->kind == STOP_GONE) {
		on_gone(engine, thread);
		return;
	}
	if (!engine)
		engine = engine_create(run, thread->process);
	if (!task) {
		task = task_create(engine, thread);
		if (engine->is_attached && !thread->is_guest)
			adopt(engine, task);
	}
	if (thread->is_guest && stop->kind != STOP_EXITING) {
		on_guest(engine, task, stop);
		return;
	}
	engine->code.is_volatile = thread->process->n_threads > 1;
	switch (stop->kind) {
	case STOP_TRAP:
		on_trap(engine, task);
		break;
	case STOP_BREAKPOINT:
		on_breakpoint(engine, task);
		break;
	case STOP_SIGNAL:
		on_signal(engine, task, stop->signal);
		break;
	case STOP_THREAD:
		on_new_thread(engine, task, stop->parent);
		break;
	case STOP_PROCESS:
		on_new_process(engine, task, stop->parent);
		break;
	case STOP_EXEC:
		on_exec(engine, task);
		break;
	case STOP_EXITING:
		on_exiting(engine, task);
		break;
	default:
		on_interrupt(engine, task);
		break;
	}
}
