#include "engine/engine.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/array.h"
#include "engine/task.h"
#include "engine/translate/translate.h"

#define INT3_REGION "int3"

/* Instructions of a visit that are stepped before it counts as long (--engine auto). Setting up translated code costs as much as
 * some 200 steps; later on, going there and back as much as some ten (tests/bench/README.md). */
enum { AUTO_STEPS_FIRST = 200, AUTO_STEPS_LATER = 10 };

static uint32_t region_id(void *context, const char *name, bool is_begin_marker)
{
	struct engine *engine = context;
	uint32_t region = profile_intern_region(engine->profile, name, PROFILE_NONE);

	engine->profile->regions[region].n_markers += is_begin_marker;
	return region;
}

static bool sync_triggers(struct engine *engine)
{
	struct mapping_list mappings;
	bool ok;

	if (!process_read_mappings(engine->target.process, &mappings, &engine->error))
		return false;
	ok = triggers_sync(&engine->triggers, &engine->request, engine->target.process, &mappings, &engine->error);
	mapping_list_deinit(&mappings);
	code_distrust(&engine->code);
	return ok;
}

/* Once the program runs, what cannot be planted is lost for its region only. */
static void sync_triggers_or_note(struct engine *engine)
{
	if (!sync_triggers(engine))
		profile_note(engine->profile, "some regions are not watched: %s", engine->error.text);
}

static void plant_main(struct engine *engine, uint64_t va)
{
	for (size_t i = 0; i < engine->request.n_functions; i++) {
		if (strcmp(engine->request.functions[i], "main") != 0 || engine->triggers.functions_found[i])
			continue;
		if (!triggers_add_function(&engine->triggers, &engine->request, engine->target.process, i, va,
					   &engine->error))
			profile_note(engine->profile, "main is not watched: %s", engine->error.text);
	}
}

/* Markers stand on a NOP of their own. It counts, as an instruction, in the regions around. */
static void pass_marker(struct engine *engine, struct task *task, const struct trigger *trigger,
			struct target_regs *regs)
{
	const struct code_site *nop;
	uint32_t scope;

	if (trigger->kind == TRIGGER_END)
		task_end_visit(engine, task, trigger->region, regs->rsp);
	if (trigger->kind == TRIGGER_SCOPE_END &&
	    visits_innermost_scope(&task->visits, regs->rsp, (unsigned)task->n_handlers, &scope))
		task_end_visit(engine, task, scope, regs->rsp);
	if (task->n_counting) {
		nop = code_at(&engine->code, task->thread->process, engine->profile, regs->rip);
		task_count(engine, task, nop->index, 1, 0);
	}
	if (trigger->kind == TRIGGER_BEGIN)
		task_begin_visit(engine, task, trigger->region, VISIT_ENDS_AT_MARKER, regs->rsp);
	if (trigger->kind == TRIGGER_SCOPE_BEGIN)
		task_begin_visit(engine, task, trigger->region, VISIT_ENDS_WITH_SCOPE, regs->rsp);
	regs->rip++;
}

/* Acts on the triggers at regs->rip; a marker's NOP is passed by moving rip on, others are yet to be executed. */
static void pull_triggers(struct engine *engine, struct task *task, struct target_regs *regs)
{
	const struct trigger *first;
	struct trigger trigger;

	if (task->triggered_va == regs->rip && task->triggered_rsp == regs->rsp)
		return;
	/* Looked up anew each time, because acting on a trigger can add others. */
	for (size_t i = 0; i < triggers_at(&engine->triggers, regs->rip, &first); i++) {
		trigger = first[i];
		task->triggered_va = regs->rip;
		task->triggered_rsp = regs->rsp;
		switch (trigger.kind) {
		case TRIGGER_STOP:
			task_end_visit(engine, task, trigger.region, regs->rsp);
			break;
		case TRIGGER_FUNCTION:
			task_begin_visit(engine, task, trigger.region, VISIT_ENDS_AT_RETURN, regs->rsp);
			break;
		case TRIGGER_START:
			task_begin_visit(engine, task, trigger.region, VISIT_ENDS_AT_MARKER, regs->rsp);
			break;
		case TRIGGER_ENTRY:
			task_begin_visit(engine, task, trigger.region, VISIT_ENDS_WITH_PROGRAM, regs->rsp);
			break;
		case TRIGGER_LOADER:
			sync_triggers_or_note(engine);
			break;
		case TRIGGER_LIBC_START:
			plant_main(engine, regs->rdi);
			break;
		case TRIGGER_END:
		case TRIGGER_BEGIN:
		case TRIGGER_SCOPE_END:
		case TRIGGER_SCOPE_BEGIN:
			pass_marker(engine, task, &trigger, regs);
			task->triggered_va = 0;
			if (thread_set_regs(task->thread, regs))
				pull_triggers(engine, task, regs);
			return;
		}
	}
}

static void toggle_int3_region(struct engine *engine, struct task *task, const struct target_regs *regs)
{
	uint32_t region = profile_intern_region(engine->profile, INT3_REGION, PROFILE_NONE);

	for (size_t i = 0; i < task->visits.n_visits; i++) {
		if (task->visits.visits[i].region != region)
			continue;
		/* Whatever frame it is in: the second one ends. */
		task_end_visit(engine, task, region, 0);
		return;
	}
	task_begin_visit(engine, task, region, VISIT_ENDS_AT_MARKER, regs->rsp);
}

/* Whether the instructions to come are worth translating, and can be told from each other afterwards. */
static bool wants_translation(const struct engine *engine, const struct task *task)
{
	if (!engine->translator || task->must_step || task->must_reach_jump || task->owns_tf || task->handles_sigtrap ||
	    task->thread->is_guest || engine->target.n_threads > 1)
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
			thread_resume(&engine->target, task->thread, RESUME_RUN, signal, regs->rip);
			return;
		}
		site = code_at(&engine->code, task->thread->process, engine->profile, regs->rip);
		if (signal || site->insn.flow != FLOW_INTERRUPT || site->insn.interrupt != 3 ||
		    thread_handles_sigtrap(task->thread))
			break;
		regs->rip += site->insn.length;
		toggle_int3_region(engine, task, regs);
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
		toggle_int3_region(engine, task, &regs);
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
	thread_resume(&engine->target, task->thread, task->is_stepping || task->held_signal ? RESUME_STEP : RESUME_RUN,
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

/* False, with the reason, when the program that a process has become is not one that can be traced. */
static bool check_program(const struct process *process, struct error *why)
{
	char path[PATH_MAX];
	struct elf_file *file;

	if (!process_program_path(process, path, sizeof(path)))
		return error_set_errno(why, ERROR_ENVIRONMENT, "cannot tell which program process %d runs",
				       (int)process->pid);
	file = elf_file_open(path, why);
	if (!file)
		return false;
	elf_file_close(file);
	return true;
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
	if (check_program(task->thread->process, &why))
		sync_triggers_or_note(engine);
	else
		profile_note(engine->profile, "the program executed another one that was not traced: %s", why.text);
	thread_resume(&engine->target, task->thread, RESUME_RUN, 0, 0);
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

static void on_stop(struct engine *engine, const struct stop *stop)
{
	struct task *task = stop->thread->task;
	struct target_regs regs;

	if (!task && stop->kind != STOP_GONE)
		task = task_create(stop->thread);
	/* Other threads may change the memory map at any moment. */
	engine->code.never_trust = engine->target.n_threads > 1;
	switch (stop->kind) {
	case STOP_TRAP:
		on_trap(engine, task);
		break;
	case STOP_BREAKPOINT:
		if (!thread_get_regs(stop->thread, &regs))
			break;
		if (stop->thread->is_guest) {
			thread_resume(&engine->target, stop->thread, RESUME_RUN, 0, regs.rip);
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
		thread_resume(&engine->target, stop->thread, RESUME_RUN, 0, 0);
		break;
	case STOP_GONE:
		on_gone(engine, stop->thread);
		break;
	default:
		go_on(engine, task);
		break;
	}
}

static void heed_interrupts(struct engine *engine, const struct engine_interrupts *interrupts, int *seen)
{
	if (interrupts->count == *seen)
		return;
	*seen = interrupts->count;
	if (interrupts->insists) {
		profile_note(engine->profile,
			     "itrace killed the program, as it was told three times within two seconds to stop");
		target_kill(&engine->target, SIGKILL);
	} else if (interrupts->signal) {
		target_kill(&engine->target, interrupts->signal);
	}
}

static bool run_to_end(struct engine *engine, const struct engine_interrupts *interrupts)
{
	struct stop stop;
	int seen = 0;

	for (;;) {
		heed_interrupts(engine, interrupts, &seen);
		if (!target_wait(&engine->target, &stop, &engine->error))
			return false;
		if (stop.kind == STOP_ENDED)
			return true;
		if (stop.kind != STOP_INTERRUPTED)
			on_stop(engine, &stop);
	}
}

static bool start(struct engine *engine)
{
	if (!target_launch(&engine->target, engine->plan->argv, engine->plan->disable_aslr, &engine->error) ||
	    !check_program(engine->target.process, &engine->error) || !sync_triggers(engine))
		return false;
	thread_resume(&engine->target, engine->target.threads[0], RESUME_RUN, 0, 0);
	return true;
}

static void note_what_was_not_found(const struct engine *engine)
{
	for (size_t i = 0; i < engine->request.n_functions; i++) {
		if (engine->triggers.functions_found[i])
			continue;
		if (engine->triggers.functions_indirect[i])
			profile_note(
				engine->profile,
				"%s is an indirect function: the loader picks one of several variants; name the variant",
				engine->request.functions[i]);
		else
			profile_note(engine->profile, "no function named %s in the program or its libraries",
				     engine->request.functions[i]);
	}
	if (engine->request.start && !engine->triggers.start_found)
		profile_note(engine->profile, "no code is mapped at --start %s", engine->request.start);
	if (engine->request.stop && !engine->triggers.stop_found)
		profile_note(engine->profile, "no code is mapped at --stop %s", engine->request.stop);
}

static void record_end(struct engine *engine, uint64_t begin_ns)
{
	const struct process *process = engine->target.process;
	struct profile *profile = engine->profile;
	size_t n_args = 0;

	while (engine->plan->argv[n_args])
		n_args++;
	profile->argv = xcalloc(n_args + 1, sizeof(*profile->argv));
	for (size_t i = 0; i < n_args; i++)
		profile->argv[i] = xstrdup(engine->plan->argv[i]);
	profile->engine = xstrdup(profile->has_edges ? "step" : "translate");
	if (!profile->has_edges)
		profile_forget_edges(profile);
	profile->wall_ns = clock_now_ns() - begin_ns;
	profile->exited = process->exited && WIFEXITED(process->wait_status);
	if (profile->exited)
		profile->exit_status = WEXITSTATUS(process->wait_status);
	else if (process->exited)
		profile->signal = WTERMSIG(process->wait_status);
	note_what_was_not_found(engine);
	if (engine->target.n_let_go)
		profile_note(profile, "%u child process%s ran on untraced", engine->target.n_let_go,
			     engine->target.n_let_go == 1 ? "" : "es");
}

bool engine_run(const struct trace_plan *plan, const struct engine_interrupts *interrupts, struct profile *profile,
		struct error *err)
{
	uint64_t begin_ns = clock_now_ns();
	struct profile filled;
	char *range_name = plan->start ? xasprintf("%s..%s", plan->start, plan->stop) : NULL;
	struct engine engine = {
		.plan = plan,
		.profile = &filled,
		.request = {.functions = plan->functions,
			    .n_functions = plan->n_functions,
			    .start = plan->start,
			    .stop = plan->stop,
			    .range_name = range_name,
			    .whole_program = plan->whole_program,
			    .only_regions = plan->only_regions,
			    .n_only_regions = plan->n_only_regions,
			    .scopes = plan->scopes,
			    .region_id = region_id,
			    .demangle = plan->demangle},
	};
	bool ok;

	engine.request.context = &engine;
	profile_init(&filled);
	filled.has_edges = true;
	triggers_init(&engine.triggers, &engine.request);
	code_init(&engine.code, &engine.triggers.modules);
	if (plan->engine != ENGINE_STEP && !plan->on_instruction && !plan->want_edges)
		engine.translator = translator_create(&engine);
	ok = start(&engine);
	if (ok && !run_to_end(&engine, interrupts)) {
		profile_note(&filled, "tracing ended early: %s", engine.error.text);
		target_kill(&engine.target, SIGKILL);
	}
	if (ok) {
		record_end(&engine, begin_ns);
		*profile = filled;
	} else {
		target_kill(&engine.target, SIGKILL);
		profile_deinit(&filled);
		*err = engine.error;
	}
	for (size_t i = 0; i < engine.target.n_threads; i++)
		task_destroy(engine.target.threads[i]->task);
	target_deinit(&engine.target);
	translator_destroy(engine.translator);
	code_deinit(&engine.code);
	triggers_deinit(&engine.triggers);
	free(range_name);
	return ok;
}
