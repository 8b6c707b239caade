#include "engine/visits/visit_sampling.h"

#include <inttypes.h>

#include "base/array.h"

static struct visit *find(struct visits *visits, uint32_t region)
{
	for (size_t i = 0; i < visits->n_visits; i++)
		if (visits->visits[i].region == region)
			return &visits->visits[i];
	return NULL;
}

/* Reads the return address of a call that begins at this stack pointer. */
static bool read_return(const struct process *process, uint64_t rsp, uint64_t *va)
{
	return process_read(process, rsp, va, sizeof(*va)) == sizeof(*va);
}

static void skip(struct engine *engine, struct task *task, uint32_t region, enum visit_end end, uint64_t rsp)
{
	struct error ignored = {0};
	uint64_t va, former_ns;

	visits_begin(&task->skipped, region, end, (struct visit_begin){rsp, (unsigned)task->n_handlers}, 0, &former_ns);
	/* Without the breakpoint, the next call at this stack depth ends the visit. */
	if (end == VISIT_ENDS_AT_RETURN && read_return(engine->process, rsp, &va))
		process_add_breakpoint(engine->process, va, &ignored);
}

bool visit_sampling_skips(struct engine *engine, struct task *task, uint32_t region, enum visit_end end, uint64_t rsp)
{
	struct visit *skipped = find(&task->skipped, region);
	uint64_t former_ns;

	if (engine->plan->visit_period <= 1 || find(&task->visits, region))
		return false;
	if (skipped && (end != VISIT_ENDS_AT_RETURN || rsp < skipped->begin.rsp) &&
	    visits_begin(&task->skipped, region, end, (struct visit_begin){rsp, (unsigned)task->n_handlers}, 0,
			 &former_ns) == VISIT_DEEPER)
		return true;
	if (skipped)
		visits_remove(&task->skipped, (size_t)(skipped - task->skipped.visits));
	while (engine->n_region_visits <= region)
		*ARRAY_ADD(engine, region_visits) = 0;
	if (engine->region_visits[region]++ % engine->plan->visit_period == 0)
		return false;
	skip(engine, task, region, end, rsp);
	return true;
}

bool visit_sampling_ends(struct task *task, uint32_t region, uint64_t rsp)
{
	uint64_t begin_ns;

	if (!find(&task->skipped, region))
		return false;
	visits_end(&task->skipped, region, rsp, (unsigned)task->n_handlers, &begin_ns);
	return true;
}

/* Returns true if a skipped call of any thread returns to va. */
static bool is_awaited(const struct engine *engine, uint64_t va)
{
	for (size_t i = 0; i < engine->target->n_threads; i++) {
		const struct thread *thread = engine->target->threads[i];
		const struct task *task = thread->process == engine->process ? thread->task : NULL;

		for (size_t j = 0; task && j < task->skipped.n_visits; j++) {
			const struct visit *visit = &task->skipped.visits[j];
			uint64_t return_va;

			if (visit->end == VISIT_ENDS_AT_RETURN &&
			    read_return(engine->process, visit->begin.rsp, &return_va) && return_va == va)
				return true;
		}
	}
	return false;
}

void visit_sampling_check_returns(struct engine *engine, struct task *task, const struct target_regs *regs)
{
	const struct trigger *first;
	bool has_returned = false;

	for (size_t i = task->skipped.n_visits; i-- > 0;) {
		const struct visit *visit = &task->skipped.visits[i];

		if (visit->end != VISIT_ENDS_AT_RETURN || regs->rsp <= visit->begin.rsp)
			continue;
		visits_remove(&task->skipped, i);
		has_returned = true;
	}
	if (has_returned && !triggers_at(&engine->triggers, regs->rip, &first) && !is_awaited(engine, regs->rip))
		process_remove_breakpoint(engine->process, regs->rip);
}

void visit_sampling_note(struct engine *engine)
{
	for (uint32_t i = 0; i < engine->n_region_visits; i++)
		if (engine->region_visits[i])
			profile_note(engine->profile,
				     "%s: one visit in %" PRIu64 " is counted, %" PRIu64 " of %" PRIu64,
				     engine->profile->regions[i].name, engine->plan->visit_period,
				     engine->profile->regions[i].visits, engine->region_visits[i]);
}
