#include <signal.h>

#include "base/array.h"
#include "engine/pull.h"
#include "engine/run.h"
#include "engine/sections.h"
#include "engine/translate/translate.h"

/* Instructions of a visit that are stepped before it counts as long (--engine auto). Setting up translated code costs as much as
 * some 200 steps; later on, going there and back as much as some ten (tests/bench/README.md). */
enum { AUTO_STEPS_FIRST = 200, AUTO_STEPS_LATER = 10 };

/* Whether the instructions to come are worth translating, and can be told from each other afterwards. */
static bool wants_translation(const struct engine *engine, const struct task *task)
{
	if (!engine->translator || task->must_step || task->must_reach_jump || task->owns_tf ||
	    task->thread->is_guest || run_is_near_limit(engine->run))
		return false;
	return engine->plan->engine == ENGINE_TRANSLATE ||
	       task->n_stepped >= (translate_is_set_up(engine->translator) ? AUTO_STEPS_LATER : AUTO_STEPS_FIRST);
}

/* Stops the thread for good, where it stands, with the signal that it was about to receive. */
static void park(struct engine *engine, struct task *task, int signal)
{
	struct target_regs regs;

	if (task->section_abort_va && thread_get_regs(task->thread, &regs))
		sections_abort(engine, task, &regs);
	task->is_parked = true;
	task->parked_signal = signal;
	task_cut_visits(engine, task);
}

/* The thread stands at regs->rip: acts on what is there, and lets it go on, by a step if it is in a region. */
static void advance(struct engine *engine, struct task *task, struct target_regs *regs, int signal)
{
	if (run_is_over(engine->run)) {
		park(engine, task, signal);
		return;
	}
	if (signal)
		sections_abort(engine, task, regs);
	for (;;) {
		const struct code_site *site;

		if (!signal)
			pull_triggers(engine, task, regs);
		if (!task->visits.n_visits) {
			task->is_stepping = false;
			sections_abort(engine, task, regs);
			thread_resume(engine->target, task->thread, RESUME_RUN, signal, regs->rip);
			return;
		}
		site = code_at(&engine->code, task->thread->process, engine->profile, regs->rip);
		if (signal || site->insn.flow != FLOW_INTERRUPT || site->insn.interrupt != 3 ||
		    thread_handles(task->thread, SIGTRAP))
			break;
		regs->rip += site->insn.length;
		pull_int3(engine, task, regs);
		if (!thread_set_regs(task->thread, regs))
			break;
	}
	sections_heed(engine, task, regs);
	if (signal || is_interrupted_syscall(regs) || !wants_translation(engine, task) ||
	    !translate_begin(engine->translator, task, regs))
		step_begin(engine, task, regs, signal);
	else
		run_hasten_tick(engine->run);
}

/* The thread stopped in translated code. */
static void on_translated(struct engine *engine, struct task *task, enum translate_outcome outcome,
			  struct target_regs *regs, int signal)
{
	switch (outcome) {
	case TRANSLATE_GOES_ON:
	case TRANSLATE_DEAD:
		break;
	case TRANSLATE_LEFT:
		/* Where a visit may end, it came by a jump. */
		if (!task->must_reach_jump) {
			task->site.insn.flow = FLOW_JUMP;
			task_check_stack(engine, task, regs);
		}
		advance(engine, task, regs, 0);
		break;
	case TRANSLATE_SIGNAL:
		advance(engine, task, regs, signal);
		break;
	}
}

/* A SIGTRAP in a thread that runs natively and is on no breakpoint of ours. */
static void on_native_trap(struct engine *engine, struct task *task)
{
	struct target_regs regs;
	int code = thread_signal_code(task->thread);

	if (!thread_get_regs(task->thread, &regs))
		return;
	task->owns_tf = regs.eflags & EFLAGS_TF;
	if (code == TRAP_CODE_KERNEL && !thread_handles(task->thread, SIGTRAP)) {
		pull_int3(engine, task, &regs);
		advance(engine, task, &regs, 0);
	} else {
		advance(engine, task, &regs, SIGTRAP);
	}
}

static void on_trap(struct engine *engine, struct task *task)
{
	struct target_regs regs;
	int signal = 0;

	if (task->is_translated) {
		enum translate_outcome outcome = translate_on_trap(engine->translator, task, &regs, &signal);

		on_translated(engine, task, outcome, &regs, signal);
		return;
	}
	if (!task->is_stepping) {
		on_native_trap(engine, task);
		return;
	}
	switch (step_finish(engine, task, &regs)) {
	case STEP_DEAD:
		break;
	case STEP_SIGNAL:
		advance(engine, task, &regs, SIGTRAP);
		break;
	case STEP_EXECUTED:
	case STEP_HANDLER_ENTERED:
		advance(engine, task, &regs, 0);
		break;
	}
}

/* A stop at which nothing happened. */
static void go_on(struct engine *engine, struct task *task)
{
	struct target_regs regs;
	int signal = 0;

	if (!thread_get_regs(task->thread, &regs))
		return;
	if (task->is_translated && !task->held_signal &&
	    (engine->run->is_leaving || translate_calls_out(engine->translator) ||
	     ((engine->plan->max_instructions || translate_wants_out(engine->translator, task)) &&
	      !is_interrupted_syscall(&regs)))) {
		enum translate_outcome outcome = translate_on_signal(engine->translator, task, &regs, &signal);

		on_translated(engine, task, outcome, &regs, signal);
	} else if (task->is_stepping && engine->run->is_leaving) {
		step_abandon(engine, task, &regs);
		park(engine, task, 0);
	} else if (task->is_stepping) {
		step_resume(engine, task, 0, regs.rip);
	} else if (task->held_signal) {
		thread_resume(engine->target, task->thread, RESUME_STEP, 0, regs.rip);
	} else if (task->is_translated) {
		thread_resume(engine->target, task->thread, RESUME_RUN, 0, regs.rip);
	} else if (task->thread->in_syscall && task->visits.n_visits && !engine->run->is_leaving) {
		/* It was attached to there. The call returns first. */
		thread_interrupt(task->thread);
		thread_resume(engine->target, task->thread, RESUME_RUN, 0, 0);
	} else {
		advance(engine, task, &regs, 0);
	}
}

static void on_signal(struct engine *engine, struct task *task, int signal)
{
	struct target_regs regs;

	if (signal == SIGSEGV && engine->translator && translate_on_fault(engine->translator, task)) {
		if (!task->is_translated) {
			go_on(engine, task);
			return;
		}
		signal = 0;
	}
	if (task->is_translated) {
		enum translate_outcome outcome = translate_on_signal(engine->translator, task, &regs, &signal);

		on_translated(engine, task, outcome, &regs, signal);
		return;
	}
	if (!thread_get_regs(task->thread, &regs))
		return;
	step_abandon(engine, task, &regs);
	advance(engine, task, &regs, signal);
}

/* A thread of a program that ran before: --all means what it executes from here on. */
static void join(struct engine *engine, struct task *task)
{
	struct target_regs regs;

	if (engine->plan->whole_program && thread_get_regs(task->thread, &regs))
		task_begin_visit(engine, task, profile_intern_region(engine->profile, "all", PROFILE_NONE),
				 VISIT_ENDS_WITH_PROGRAM, regs.rsp);
}

/* The copy of the parent's thread is in the regions that this one is in. */
static void inherit_visits(struct engine *engine, struct task *task, const struct engine *from,
			   const struct task *parent)
{
	for (size_t i = 0; i < parent->n_handlers; i++)
		*ARRAY_ADD(task, handlers) = parent->handlers[i];
	for (size_t i = 0; i < parent->visits.n_visits; i++) {
		const struct visit *visit = &parent->visits.visits[i];
		const char *name = from->profile->regions[visit->region].name;

		task->n_handlers = visit->handler_depth;
		task_begin_visit(engine, task, profile_intern_region(engine->profile, name, PROFILE_NONE), visit->end,
				 visit->begin_rsp);
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
		/* SYSCALL saved the flags with the TF that stepped the parent. */
		if (parent_task->is_stepping && !parent_task->owns_tf && regs.r11 & EFLAGS_TF) {
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
	/* --all means every thread of the program. */
	for (size_t i = 0; parent_task && i < parent_task->visits.n_visits; i++)
		if (parent_task->visits.visits[i].end == VISIT_ENDS_WITH_PROGRAM)
			task_begin_visit(engine, task, parent_task->visits.visits[i].region, VISIT_ENDS_WITH_PROGRAM,
					 regs.rsp);
	advance(engine, task, &regs, 0);
}

static void on_exec(struct engine *engine, struct task *task)
{
	struct target_regs regs;
	struct error why;

	if (task->is_stepping && thread_get_regs(task->thread, &regs))
		step_abandon(engine, task, &regs);
	task_cut_visits(engine, task);
	code_forget(&engine->code);
	rseq_sections_deinit(&engine->sections);
	task->section_abort_va = 0;
	engine->handles_sigtrap = false;
	triggers_reset(&engine->triggers);
	if (engine->translator)
		translate_forget(engine->translator);
	engine_name_program(engine);
	if (engine->run->is_leaving) {
		park(engine, task, 0);
		return;
	}
	if (engine_check_program(task->thread->process, &why))
		engine_sync_triggers_or_note(engine);
	else
		profile_note(engine->profile, "the program executed another one that was not traced: %s", why.text);
	engine_note_privileges(engine);
	engine_note_addresses(engine);
	thread_resume(engine->target, task->thread, RESUME_RUN, 0, 0);
}

static void on_gone(struct engine *engine, struct thread *thread)
{
	struct task *task = thread->task;

	if (task) {
		task_cut_visits(engine, task);
		if (engine->translator)
			translate_gone(engine->translator, task);
		stream_end(engine, task);
		task_destroy(task);
		thread->task = NULL;
	}
	if (!thread->process->n_threads && thread->process != engine->target->process)
		engine_finish(engine);
}

/* A guest runs natively, whatever the threads that it shares memory with do. */
static void on_guest(struct engine *engine, struct task *task, const struct stop *stop)
{
	int signal = stop->kind == STOP_SIGNAL ? stop->signal : stop->kind == STOP_TRAP ? SIGTRAP : 0;
	struct target_regs regs;

	if (!thread_get_regs(stop->thread, &regs))
		return;
	if (signal == SIGSEGV && engine->translator && translate_on_fault(engine->translator, task))
		signal = 0;
	if (engine->run->is_leaving)
		park(engine, task, signal);
	else
		thread_resume(engine->target, stop->thread, RESUME_RUN, signal, regs.rip);
}

void stops_handle(struct run *run, const struct stop *stop)
{
	struct thread *thread = stop->thread;
	struct engine *engine = thread->process->engine;
	struct task *task = thread->task;
	struct target_regs regs;

	if (stop->kind == STOP_GONE) {
		on_gone(engine, thread);
		return;
	}
	if (!engine)
		engine = engine_create(run, thread->process);
	if (!task) {
		task = task_create(thread);
		if (engine->is_attached && !thread->is_guest)
			join(engine, task);
	}
	if (thread->is_guest && stop->kind != STOP_EXITING) {
		on_guest(engine, task, stop);
		return;
	}
	/* Other threads may change the memory map at any moment. */
	engine->code.never_trust = thread->process->n_threads > 1;
	switch (stop->kind) {
	case STOP_TRAP:
		on_trap(engine, task);
		break;
	case STOP_BREAKPOINT:
		if (!thread_get_regs(thread, &regs))
			break;
		task->triggered_va = 0;
		task->owns_tf = regs.eflags & EFLAGS_TF;
		advance(engine, task, &regs, 0);
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
		task->is_exiting = true;
		if (task->is_translated)
			translate_exiting(engine->translator, task);
		step_exiting(engine, task);
		task_cut_visits(engine, task);
		/* Its end may be reported much later, as those of others may. */
		stream_end(engine, task);
		thread_resume(engine->target, thread, RESUME_RUN, 0, 0);
		break;
	default:
		go_on(engine, task);
		break;
	}
}
