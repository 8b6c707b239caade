#include "engine/visits/task_visits.h"

#include <signal.h>
#include <stdlib.h>

#include "base/array.h"
#include "engine/backend.h"
#include "engine/threads/thread_totals.h"
#include "engine/visits/batches.h"
#include "engine/visits/counting.h"
#include "engine/visits/visit_sampling.h"

void task_set_native(struct engine *engine, struct task *task, bool is_native)
{
	engine->n_native_tasks += (unsigned)is_native - (unsigned)task->is_native;
	task->is_native = is_native;
}

struct task *task_create(struct engine *engine, struct thread *thread)
{
	struct task *task = xcalloc(1, sizeof(*task));

	task->thread = thread;
	task_set_native(engine, task, true);
	engine->n_tasks++;
	task->previous = task->entry_insn = task->number = PROFILE_NONE;
	thread->task = task;
	return task;
}

void task_destroy(struct task *task)
{
	if (!task)
		return;
	visits_deinit(&task->visits);
	visits_deinit(&task->skipped);
	batches_deinit(&task->batch);
	free(task->handlers);
	free(task->counting);
	free(task->idle.counting);
	free(task);
}

void task_begin_visit(struct engine *engine, struct task *task, uint32_t region, enum visit_end end, uint64_t rsp)
{
	uint64_t now_ns = monotonic_now_ns(), former_ns;
	enum visit_change change;

	if (end != VISIT_ENDS_WITH_PROGRAM && visit_sampling_skips(engine, task, region, end, rsp))
		return;
	change = visits_begin(&task->visits, region, end, (struct visit_begin){rsp, (unsigned)task->n_handlers}, now_ns,
			      &former_ns);
	if (change == VISIT_BEGUN_ANEW) {
		engine->run->n_visits++;
		thread_totals_add_visits(engine, task, region,
					 (struct visit_counts){.n_left = 1, .tracing_ns = now_ns - former_ns});
	}
	if (change == VISIT_BEGUN_ANEW || (change == VISIT_BEGUN && task->visits.n_visits == 1))
		batches_break(engine, task);
	if (change == VISIT_BEGUN || change == VISIT_BEGUN_ANEW)
		thread_totals_add_visits(engine, task, region, (struct visit_counts){.n_begun = 1});
	if (change == VISIT_BEGUN && task->visits.n_visits == 1) {
		/* Code that ran natively until now may have changed any code. */
		if (task->is_native) {
			BACKENDS_CALL(engine, invalidate);
			engine->handles_sigtrap = thread_handles(task->thread, SIGTRAP);
		}
		task_set_native(engine, task, false);
		task->n_stepped = 0;
		task->must_reach_jump = false;
	}
	task_update_counting(engine, task);
	if (change == VISIT_BEGUN_ANEW)
		task_report_event(engine, task, TRACE_END, region);
	if (change == VISIT_BEGUN || change == VISIT_BEGUN_ANEW)
		task_report_event(engine, task, TRACE_BEGIN, region);
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

static void count_end(struct engine *engine, struct task *task, uint32_t region, uint64_t begin_ns)
{
	engine->run->n_visits++;
	thread_totals_add_visits(engine, task, region,
				 (struct visit_counts){.tracing_ns = monotonic_now_ns() - begin_ns});
}

void task_end_visit(struct engine *engine, struct task *task, uint32_t region, uint64_t rsp)
{
	uint64_t begin_ns;

	if (visit_sampling_ends(task, region, rsp))
		return;
	switch (visits_end(&task->visits, region, rsp, (unsigned)task->n_handlers, &begin_ns)) {
	case VISIT_ENDED:
		count_end(engine, task, region, begin_ns);
		leave_region(engine, task);
		task_report_event(engine, task, TRACE_END, region);
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
	/* Without a jump a function is not left, even if the stack pointer rises above its frame. */
	if (task->site.insn.flow == FLOW_NEXT)
		return;
	task->must_reach_jump = false;
	for (size_t i = task->visits.n_visits; i-- > 0;) {
		const struct visit *visit = &task->visits.visits[i];
		uint32_t region = visit->region;

		if (visit->end != VISIT_ENDS_AT_RETURN || after->rsp <= visit->begin.rsp ||
		    task->n_handlers > visit->begin.handler_depth ||
		    /* A coroutine's stack may be anywhere. */
		    !same_stack(task, after->rsp, visit->begin.rsp))
			continue;
		count_end(engine, task, region, visit->begin_ns);
		visits_remove(&task->visits, i);
		leave_region(engine, task);
		task_report_event(engine, task, TRACE_END, region);
	}
}

void task_cut_visits(struct engine *engine, struct task *task)
{
	if (engine->plan->on_event && task->visits.n_visits)
		task_update_counting(engine, task);
	while (task->visits.n_visits) {
		const struct visit *visit = &task->visits.visits[task->visits.n_visits - 1];

		thread_totals_add_visits(engine, task, visit->region,
					 (struct visit_counts){.n_cut = visit->end != VISIT_ENDS_WITH_PROGRAM,
							       .tracing_ns = monotonic_now_ns() - visit->begin_ns});
		task_report_event(engine, task, TRACE_END, visit->region);
		visits_remove(&task->visits, task->visits.n_visits - 1);
	}
	visits_deinit(&task->skipped);
	task->backend = NULL;
	leave_region(engine, task);
	task_collect_counts(engine, task);
	thread_totals_update_name(engine, task);
}

/* The beginning of what Linux pushes for a handler (arch/x86/include/asm/sigframe.h, struct rt_sigframe). */
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

	batches_break(engine, task);
	*handler = (struct handler_frame){.interrupted_rsp = interrupted_rsp, .previous = task->previous};
	task->previous = PROFILE_NONE;
	if (process_read(task->thread->process, entry_rsp, &frame, sizeof(frame)) == sizeof(frame) &&
	    entry_rsp >= frame.stack_low && entry_rsp - frame.stack_low < frame.stack_bytes) {
		handler->stack_low = frame.stack_low;
		handler->stack_high = frame.stack_low + frame.stack_bytes;
	}
	task_update_counting(engine, task);
	for (size_t i = 0; i < task->visits.n_visits; i++)
		if (task->n_handlers > task->visits.visits[i].begin.handler_depth)
			thread_totals_add_visits(engine, task,
						 task->counting[i * thread_totals_regions_per_visit(engine)],
						 (struct visit_counts){.n_begun = 1});
}

void task_leave_handler(struct engine *engine, struct task *task)
{
	batches_break(engine, task);
	if (task->n_handlers)
		task->previous = task->handlers[--task->n_handlers].previous;
	task_update_counting(engine, task);
}
