#include <inttypes.h>
#include <stdio.h>

#include "engine/run.h"
#include "target/ticks.h"

static uint64_t count_instructions(const struct run *run)
{
	uint64_t n_instructions = run->n_instructions;

	for (size_t i = 0; i < run->target.n_processes; i++) {
		const struct engine *engine = run->target.processes[i]->engine;

		if (engine)
			n_instructions += engine->n_instructions;
	}
	return n_instructions;
}

/* The clock is looked at once a tick. */
static bool is_late(struct run *run)
{
	if (run->n_ticks == ticks_count())
		return false;
	run->n_ticks = ticks_count();
	return clock_now_ns() - run->begin_ns >= run->plan->timeout_ns;
}

bool run_is_over(struct run *run)
{
	const struct trace_plan *plan = run->plan;

	if (run->is_leaving)
		return true;
	if (plan->max_visits && run->n_visits >= plan->max_visits)
		snprintf(run->reason, sizeof(run->reason), "after %" PRIu64 " visit%s", run->n_visits,
			 run->n_visits == 1 ? "" : "s");
	else if (plan->max_instructions && count_instructions(run) >= plan->max_instructions)
		snprintf(run->reason, sizeof(run->reason), "after %" PRIu64 " instructions", count_instructions(run));
	else if (plan->timeout_ns && is_late(run))
		snprintf(run->reason, sizeof(run->reason), "after %.3g s", (double)plan->timeout_ns / 1e9);
	else
		return false;
	return run->is_leaving = true;
}
