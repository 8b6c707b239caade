#include <signal.h>

#include "engine/pull.h"
#include "engine/run.h"
#include "engine/translate/translate.h"

/* Instructions of a visit that are stepped before it counts as long (--engine auto). Setting up translated code costs as much as
 * some 200 steps; later on, going there and back as much as some ten (tests/bench/README.md). */
enum { AUTO_STEPS_FIRST = 200, AUTO_STEPS_LATER = 10 };

/* Whether the instructions to come are worth translating, and can be told from each other afterwards. */
static bool wants_translation(const struct engine *engine, const struct task *task)
{
	if (!engine->translator || task->must_step || task->must_reach_jump || task->owns_tf || task->handles_sigtrap ||
	    task->thread->is_guest || engine->process->n_threads > 1)
		return false;
	return engine->plan->engine == ENGINE_TRANSLATE ||
	       task->n_stepped >= (translate_is_set_up(engine->translator) ? AUTO_STEPS_LATER : AUTO_STEPS_FIRST);
}

/* The thread stands at regs->rip: acts on what is there, and lets it go on, by a step if it is in a region. */
static void advance(struct engine *engine, struct task *task, struct target_regs *regs, int signal)
{
	for (;;) {
		const struct code_site *site;

		if (!signal)
			pull_triggers(engine, task, regs);
		if (!task->visits.n_visits) {
			task->is_stepping = false;
			thread_resume(engine->target, task->thread, RESUME_RUN, signal, regs->rip);
			return;
		}
		site = code_at(&engine->code, task->thread->process, engine->profile, regs->rip);
		if (signal || site->insn.flow != FLOW_INTERRUPT || site->insn.interrupt != 3 ||
		    thread_handles_sigtrap(task->thread))
			break;
		regs->rip += site->insn.length;
		pull_int3(engine, task, regs);
		if (!thread_set_regs(task->thread, regs))
			break;
	}
	if (signal || !wants_translation(engine, task) || !translate_begin(engine->translator, task, regs))
		step_begin(engine, task, regs, signal);
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
	if (code == TRAP_CODE_KERNEL && !task->thread->is_guest && !thread_handles_sigtrap(task->thread)) {
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

static void on_signal(struct engine *engine, struct task *task, int signal)
{
	struct target_regs regs;

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

static void go_on(struct engine *engine, struct task *task)
{
	struct target_regs regs;

	if (!thread_get_regs(task->thread, &regs))
		return;
	thread_resume(engine->target, task->thread, task->is_stepping || task->held_signal ? RESUME_STEP : RESUME_RUN,
		      0, regs.rip);
}

static void on_new_thread(struct engine *engine, struct task *task, struct thread *parent)
{
	const struct task *parent_task = parent->task;
	struct target_regs regs;

	if (engine->translator && !engine->told_of_threads && parent_task && parent_task->visits.n_visits) {
		engine->told_of_threads = true;
		profile_note(engine->profile,
			     "the program has threads: its regions were single-stepped while it had several");
	}
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
	triggers_reset(&engine->triggers);
	if (engine->translator)
		translate_forget(engine->translator);
	if (engine_check_program(task->thread->process, &why))
		engine_sync_triggers_or_note(engine);
	else
		profile_note(engine->profile, "the program executed another one that was not traced: %s", why.text);
	thread_resume(engine->target, task->thread, RESUME_RUN, 0, 0);
}

static void on_gone(struct engine *engine, struct thread *thread)
{
	struct task *task = thread->task;

	if (task) {
		task_cut_visits(engine, task);
		task_destroy(task);
		thread->task = NULL;
	}
}

void stops_handle(const struct stop *stop)
{
	struct engine *engine = stop->thread->process->engine;
	struct task *task = stop->thread->task;
	struct target_regs regs;

	if (!task && stop->kind != STOP_GONE)
		task = task_create(stop->thread);
	/* Other threads may change the memory map at any moment. */
	engine->code.never_trust = engine->process->n_threads > 1;
	switch (stop->kind) {
	case STOP_TRAP:
		on_trap(engine, task);
		break;
	case STOP_BREAKPOINT:
		if (!thread_get_regs(stop->thread, &regs))
			break;
		if (stop->thread->is_guest) {
			thread_resume(engine->target, stop->thread, RESUME_RUN, 0, regs.rip);
			break;
		}
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
	case STOP_EXEC:
		on_exec(engine, task);
		break;
	case STOP_EXITING:
		if (task->is_translated)
			translate_exiting(engine->translator, task);
		step_exiting(engine, task);
		task_cut_visits(engine, task);
		thread_resume(engine->target, stop->thread, RESUME_RUN, 0, 0);
		break;
	case STOP_GONE:
		on_gone(engine, stop->thread);
		break;
	default:
		go_on(engine, task);
		break;
	}
}
