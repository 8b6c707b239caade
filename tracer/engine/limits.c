#include "engine/run.h"

#include <inttypes.h>
#include <stdio.h>

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

/* Reads the clock once per tick. */
static bool is_late(struct run *run)
{
	if (run->n_ticks == ticks_count())
		return false;
	run->n_ticks = ticks_count();
	return monotonic_now_ns() - run->begin_ns >= run->plan->timeout_ns;
}

bool run_is_near_limit(const struct run *run)
{
	enum { N_STEPPED = 5000 }; /* takes a tenth of a second */
	uint64_t max = run->plan->max_instructions;

	return max && count_instructions(run) + N_STEPPED >= max;
}

/* The tick comes when the fastest code could have executed a quarter of the remaining instructions. So ticks come at
 * ever shorter intervals near the limit. */
void run_hasten_tick(struct run *run)
{
	enum { MIN_NS = 50000, INSNS_PER_NS = 4 };
	uint64_t n_instructions, ns = MIN_NS, now_ns;

	if (!run->plan->max_instructions)
		return;
	now_ns = monotonic_now_ns();
	n_instructions = count_instructions(run);
	if (n_instructions < run->plan->max_instructions)
		ns += (run->plan->max_instructions - n_instructions) / INSNS_PER_NS / 4;
	if (!run->tick_due_ns || run->n_due_ticks != ticks_count())
		run->tick_due_ns = now_ns + TICK_NS;
	run->n_due_ticks = ticks_count();
	if (now_ns + ns >= run->tick_due_ns)
		return;
	run->tick_due_ns = now_ns + ns;
	ticks_hasten(ns);
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
		snprintf(run->reason, sizeof(run->reason), "after %" PRIu64 " instruction%s", count_instructions(run),
			 count_instructions(run) == 1 ? "" : "s");
	else if (plan->timeout_ns && is_late(run))
		snprintf(run->reason, sizeof(run->reason), "after %.3g s", (double)plan->timeout_ns / 1e9);
	else
		return false;
	return run->is_leaving = true;
}
