#include "engine/visits/handle_triggers.h"

#include <string.h>

#include "engine/backend.h"
#include "engine/process_engine.h"
#include "engine/visits/allocations.h"
#include "engine/visits/counting.h"
#include "engine/visits/task_visits.h"
#include "engine/visits/visit_sampling.h"

#define INT3_REGION "int3"

static void plant_main(struct engine *engine, uint64_t va)
{
	struct error why = {0};

	for (size_t i = 0; i < engine->request.n_functions; i++) {
		if (strcmp(engine->request.functions[i], "main") != 0 || engine->triggers.functions[i].is_found)
			continue;
		if (!triggers_add_function(&engine->triggers, &engine->request, engine->process, i, va, &why))
			profile_note(engine->profile, "main is not watched: %s", why.text);
	}
}

/* A marker is a NOP of itrace's own. It counts as an instruction of the regions around it. */
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
		nop = code_at(&engine->code, regs->rip);
		task_count(engine, task, nop->index, 1, 0);
	}
	if (trigger->kind == TRIGGER_BEGIN)
		task_begin_visit(engine, task, trigger->region, VISIT_ENDS_AT_MARKER, regs->rsp);
	if (trigger->kind == TRIGGER_SCOPE_BEGIN)
		task_begin_visit(engine, task, trigger->region, VISIT_ENDS_WITH_SCOPE, regs->rsp);
	regs->rip++;
}

void handle_triggers(struct engine *engine, struct task *task, struct target_regs *regs)
{
	const struct trigger *first;
	struct trigger trigger;

	allocation_end(engine, task, regs);
	if ((task->triggered_va == regs->rip && task->triggered_rsp == regs->rsp) || run_is_over(engine->run))
		return;
	if (task->skipped.n_visits)
		visit_sampling_check_returns(engine, task, regs);
	/* Looks the triggers up anew each time, because one trigger may add others. */
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
		case TRIGGER_ALLOCATOR:
			/* A function with two names has two triggers, but is called once. */
			if (i == 0 || first[i - 1].kind != TRIGGER_ALLOCATOR)
				allocation_begin(engine, task, trigger.region, regs);
			break;
		case TRIGGER_LOADER:
			engine_sync_triggers_or_note(engine);
			/* Backends saw the system calls of a loader that runs in a region. */
			if (task->is_native)
				BACKENDS_CALL(engine, invalidate);
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
				handle_triggers(engine, task, regs);
			return;
		}
	}
}

void handle_int3(struct engine *engine, struct task *task, const struct target_regs *regs)
{
	uint32_t region = profile_intern_region(engine->profile, INT3_REGION, PROFILE_NONE);

	if (visit_sampling_ends(task, region, 0))
		return;
	for (size_t i = 0; i < task->visits.n_visits; i++) {
		if (task->visits.visits[i].region != region)
			continue;
		/* The second int3 ends the region in any frame. */
		task_end_visit(engine, task, region, 0);
		return;
	}
	task_begin_visit(engine, task, region, VISIT_ENDS_AT_MARKER, regs->rsp);
}
