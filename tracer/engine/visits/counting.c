#include "engine/visits/counting.h"

#include <stdio.h>

#include "base/array.h"
#include "engine/backend.h"
#include "engine/threads/thread_totals.h"
#include "engine/visits/batches.h"

void task_swap_counting(struct engine *engine, struct task *task)
{
	struct idle_counting idle = task->idle;

	thread_totals_add_executions(engine, task);
	task->idle = (struct idle_counting){task->counting, task->n_counting, task->counting_capacity, task->area};
	task->counting = idle.counting;
	task->n_counting = idle.n_counting;
	task->counting_capacity = idle.counting_capacity;
	task->area = idle.area;
}

void task_collect_counts(struct engine *engine, struct task *task)
{
	BACKENDS_CALL(engine, collect_counts, task);
	thread_totals_add_executions(engine, task);
	task->n_counting = task->idle.n_counting = 0;
}

/* Returns the region that the task counts into for a visit. */
static uint32_t counted_region(struct engine *engine, const struct task *task, size_t visit)
{
	uint32_t region = task->visits.visits[visit].region;

	if (task->n_handlers > task->visits.visits[visit].begin.handler_depth)
		region = profile_intern_region(engine->profile, engine->profile->regions[region].name, region);
	return region;
}

/* Returns true if `counting` fits the current visits and handlers. */
static bool is_current(struct engine *engine, const struct task *task)
{
	size_t n_each = thread_totals_regions_per_visit(engine);

	if (task->n_counting != task->visits.n_visits * n_each)
		return false;
	for (size_t i = 0; i < task->visits.n_visits; i++)
		if (task->counting[i * n_each] != counted_region(engine, task, i))
			return false;
	return true;
}

void task_update_counting(struct engine *engine, struct task *task)
{
	batches_flush(engine, task);
	if (is_current(engine, task))
		return;
	task_swap_counting(engine, task);
	if (is_current(engine, task))
		return;
	if (task->n_counting)
		BACKENDS_CALL(engine, collect_counts, task);
	thread_totals_add_executions(engine, task);
	task->n_counting = 0;
	for (size_t i = 0; i < task->visits.n_visits; i++) {
		uint32_t region = counted_region(engine, task, i);

		*ARRAY_ADD(task, counting) = region;
		if (engine->plan->per_thread)
			*ARRAY_ADD(task, counting) = profile_intern_thread_region(engine->profile, region,
										  task->number);
	}
}

void task_report_event(struct engine *engine, const struct task *task, enum trace_event_kind kind, uint32_t index)
{
	const struct trace_event event = {.kind = kind, .tid = task->thread->tid, .index = index};
	const struct trace_plan *plan = engine->plan;
	struct run *run = engine->run;

	if (!plan->on_event || run->is_unwatched || plan->on_event(plan->context, engine->profile, &event))
		return;
	snprintf(run->reason, sizeof(run->reason), "when its trace could not be written any more");
	run->is_unwatched = run->is_leaving = true;
}

void task_count_edge(struct engine *engine, struct task *task, uint32_t insn)
{
	const struct profile_insn *insns = engine->profile->insns;
	bool jumped = task->previous != PROFILE_NONE &&
		      insns[task->previous].va + insns[task->previous].length != insns[insn].va;

	for (size_t i = 0; i < task->n_counting; i++)
		if (jumped && task->visits.visits[i / thread_totals_regions_per_visit(engine)].has_executed)
			profile_count_edge(engine->profile, task->counting[i], task->previous, insn, 1);
	for (size_t i = 0; i < task->visits.n_visits; i++)
		task->visits.visits[i].has_executed = true;
	task->previous = insn;
}

void task_add_counts(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions, uint64_t iterations)
{
	for (size_t i = 0; i < task->n_counting; i++)
		profile_count(engine->profile, task->counting[i], insn, executions, iterations);
	task->n_executed += executions;
	engine->n_instructions += executions;
}

void task_count(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions, uint64_t iterations)
{
	const struct trace_plan *plan = engine->plan;

	task_add_counts(engine, task, insn, executions, iterations);
	if (plan->stream && task->n_counting)
		batches_add_insn(engine, task, insn, executions, iterations);
	if (!executions)
		return;
	task_count_edge(engine, task, insn);
	if (task->n_counting)
		task_report_event(engine, task, TRACE_INSN, insn);
	if (plan->on_progress && task->n_counting && engine->n_instructions % 1024 == 0)
		plan->on_progress(plan->context, engine->profile->regions[task->counting[0]].name,
				  engine->n_instructions);
}
