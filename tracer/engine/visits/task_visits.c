#include "engine/task.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "engine/visits/visit_sampling.h"
#include "engine/run.h"
#include "engine/threads/thread_totals.h"
#include "engine/translate/translate.h"

uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct task *task_create(struct thread *thread)
{
	struct task *task = xcalloc(1, sizeof(*task));

	task->thread = thread;
	task->previous = task->entered = task->number = PROFILE_NONE;
	thread->task = task;
	return task;
}

void task_destroy(struct task *task)
{
	if (!task)
		return;
	visits_deinit(&task->visits);
	visits_deinit(&task->skipped);
	stream_deinit(&task->stream);
	free(task->handlers);
	free(task->counting);
	free(task);
}

void task_update_counting(struct engine *engine, struct task *task)
{
	/* What was counted until now belongs to the former ones. */
	if (engine->translator && task->n_counting)
		translate_harvest(engine->translator, task);
	stream_flush(engine, task);
	threads_share_executions(engine, task);
	task->n_counting = 0;
	for (size_t i = 0; i < task->visits.n_visits; i++) {
		const struct visit *visit = &task->visits.visits[i];
		uint32_t region = visit->region;

		if (task->n_handlers > visit->handler_depth)
			region = profile_intern_region(engine->profile, engine->profile->regions[region].name, region);
		*ARRAY_ADD(task, counting) = region;
		if (engine->plan->per_thread)
			*ARRAY_ADD(task, counting) = profile_intern_part(engine->profile, region, task->number);
	}
}

void task_begin_visit(struct engine *engine, struct task *task, uint32_t region, enum visit_end end, uint64_t rsp)
{
	uint64_t now_ns = clock_now_ns(), former_ns;
	enum visit_change change;

	if (end != VISIT_ENDS_WITH_PROGRAM && every_skips(engine, task, region, end, rsp))
		return;
	change = visits_begin(&task->visits, region, end, rsp, (unsigned)task->n_handlers, now_ns, &former_ns);
	if (change == VISIT_BEGUN_ANEW) {
		engine->run->n_visits++;
		threads_add(engine, task, region, (struct visit_facts){.n_left = 1, .tracing_ns = now_ns - former_ns});
	}
	if (change == VISIT_BEGUN_ANEW || (change == VISIT_BEGUN && task->visits.n_visits == 1))
		stream_break(engine, task);
	if (change == VISIT_BEGUN || change == VISIT_BEGUN_ANEW)
		threads_add(engine, task, region, (struct visit_facts){.n_begun = 1});
	if (change == VISIT_BEGUN && task->visits.n_visits == 1) {
		/* What ran natively until now may have changed any code. */
		code_distrust(&engine->code);
		if (engine->translator)
			translate_doubt(engine->translator);
		task->n_stepped = 0;
		task->must_reach_jump = false;
		engine->handles_sigtrap = thread_handles(task->thread, SIGTRAP);
		task_pin(engine, task);
	}
	task_update_counting(engine, task);
}

static void leave_region(struct engine *engine, struct task *task)
{
	if (!task->visits.n_visits) {
		task->n_handlers = 0;
		task->previous = PROFILE_NONE;
		task_unpin(engine, task);
		if (engine->plan->on_progress)
			engine->plan->on_progress(engine->plan->context, NULL, engine->n_instructions);
	}
	task_update_counting(engine, task);
}

void task_end_visit(struct engine *engine, struct task *task, uint32_t region, uint64_t rsp)
{
	uint64_t begin_ns;

	if (every_ends(task, region, rsp))
		return;
	switch (visits_end(&task->visits, region, rsp, (unsigned)task->n_handlers, &begin_ns)) {
	case VISIT_ENDED:
		engine->run->n_visits++;
		threads_add(engine, task, region, (struct visit_facts){.tracing_ns = clock_now_ns() - begin_ns});
		leave_region(engine, task);
		break;
	case VISIT_UNMATCHED:
		engine->profile->regions[region].unmatched_ends++;
		break;
	default:
		break;
	}
}

static bool same_stack(const struct task *task, uint64_t a, uint64_t b)
{
	struct mapping_list mappings;
	struct error ignored = {0};
	bool same;

	if (!process_read_mappings(task->thread->process, &mappings, &ignored))
		return true;
	same = mapping_find(&mappings, a) == mapping_find(&mappings, b);
	mapping_list_deinit(&mappings);
	return same;
}

static bool handler_was_left(const struct handler_frame *handler, uint64_t rsp)
{
	if (handler->stack_high)
		return rsp <= handler->stack_low || rsp > handler->stack_high;
	return rsp >= handler->interrupted_rsp;
}

void task_check_stack(struct engine *engine, struct task *task, const struct target_regs *after)
{
	while (task->n_handlers && handler_was_left(&task->handlers[task->n_handlers - 1], after->rsp))
		task_leave_handler(engine, task);
	/* Only a jump leaves a function, whatever happens to the stack pointer before it. */
	if (task->site.insn.flow == FLOW_NEXT)
		return;
	task->must_reach_jump = false;
	for (size_t i = task->visits.n_visits; i-- > 0;) {
		const struct visit *visit = &task->visits.visits[i];

		if (visit->end != VISIT_ENDS_AT_RETURN || after->rsp <= visit->begin_rsp ||
		    task->n_handlers > visit->handler_depth ||
		    /* A coroutine's other stack may lie anywhere. */
		    !same_stack(task, after->rsp, visit->begin_rsp))
			continue;
		engine->run->n_visits++;
		threads_add(engine, task, visit->region,
			    (struct visit_facts){.tracing_ns = clock_now_ns() - visit->begin_ns});
		visits_remove(&task->visits, i);
		leave_region(engine, task);
	}
}

void task_cut_visits(struct engine *engine, struct task *task)
{
	while (task->visits.n_visits) {
		const struct visit *visit = &task->visits.visits[task->visits.n_visits - 1];

		threads_add(engine, task, visit->region,
			    (struct visit_facts){.n_cut = visit->end != VISIT_ENDS_WITH_PROGRAM,
						 .tracing_ns = clock_now_ns() - visit->begin_ns});
		visits_remove(&task->visits, task->visits.n_visits - 1);
	}
	visits_deinit(&task->skipped);
	task->is_stepping = false;
	leave_region(engine, task);
	threads_name(engine, task);
}

/* The head of what Linux pushes for a handler (arch/x86/include/asm/sigframe.h, struct rt_sigframe). */
struct signal_frame {
	uint64_t return_va;
	uint64_t uc_flags, uc_link;
	uint64_t stack_low;
	uint32_t stack_flags, padding;
	uint64_t stack_bytes;
};

void task_enter_handler(struct engine *engine, struct task *task, uint64_t interrupted_rsp, uint64_t entry_rsp)
{
	struct handler_frame *handler = ARRAY_ADD(task, handlers);
	struct signal_frame frame;

	stream_break(engine, task);
	*handler = (struct handler_frame){.interrupted_rsp = interrupted_rsp, .previous = task->previous};
	task->previous = PROFILE_NONE;
	if (process_read(task->thread->process, entry_rsp, &frame, sizeof(frame)) == sizeof(frame) &&
	    entry_rsp >= frame.stack_low && entry_rsp - frame.stack_low < frame.stack_bytes) {
		handler->stack_low = frame.stack_low;
		handler->stack_high = frame.stack_low + frame.stack_bytes;
	}
	task_update_counting(engine, task);
	for (size_t i = 0; i < task->visits.n_visits; i++)
		if (task->n_handlers > task->visits.visits[i].handler_depth)
			threads_add(engine, task, task->counting[i * threads_per_visit(engine)],
				    (struct visit_facts){.n_begun = 1});
}

void task_leave_handler(struct engine *engine, struct task *task)
{
	stream_break(engine, task);
	if (task->n_handlers)
		task->previous = task->handlers[--task->n_handlers].previous;
	task_update_counting(engine, task);
}

void task_count_edge(struct engine *engine, struct task *task, uint32_t insn)
{
	const struct profile_insn *insns = engine->profile->insns;
	bool jumped = task->previous != PROFILE_NONE &&
		      insns[task->previous].va + insns[task->previous].length != insns[insn].va;

	for (size_t i = 0; i < task->n_counting; i++)
		if (jumped && task->visits.visits[i / threads_per_visit(engine)].has_previous)
			profile_count_edge(engine->profile, task->counting[i], task->previous, insn, 1);
	for (size_t i = 0; i < task->visits.n_visits; i++)
		task->visits.visits[i].has_previous = true;
	task->previous = insn;
}

void task_add(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions, uint64_t iterations)
{
	for (size_t i = 0; i < task->n_counting; i++)
		profile_count(engine->profile, task->counting[i], insn, executions, iterations);
	task->n_executed += executions;
	engine->n_instructions += executions;
}

void task_count(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions, uint64_t iterations)
{
	task_add(engine, task, insn, executions, iterations);
	if (engine->plan->stream && task->n_counting)
		stream_count(engine, task, insn, executions, iterations);
	if (!executions)
		return;
	task_count_edge(engine, task, insn);
	if (engine->plan->on_instruction && task->n_counting)
		engine->plan->on_instruction(engine->plan->context, engine->profile, insn);
	if (engine->plan->on_progress && task->n_counting && engine->n_instructions % 1024 == 0)
		engine->plan->on_progress(engine->plan->context, engine->profile->regions[task->counting[0]].name,
					  engine->n_instructions);
}
