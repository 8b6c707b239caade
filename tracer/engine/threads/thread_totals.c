#include "engine/threads/thread_totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { NAME_BYTES = 64 }; /* names of kernel threads have up to 63 bytes, others 15 */

size_t thread_totals_regions_per_visit(const struct engine *engine)
{
	return engine->plan->per_thread ? 2 : 1;
}

static uint32_t add_thread(struct profile *profile, const char *name)
{
	*ARRAY_ADD(profile, threads) = (struct profile_thread){.name = xstrdup(name), .n_threads = 1};
	return (uint32_t)profile->n_threads - 1;
}

/* Returns the number of an earlier thread with this name, else a new number. The last number stands for all others. */
static uint32_t share_number(struct profile *profile, const char *name)
{
	enum { LAST = THREADS_WITH_OWN_NUMBER + THREADS_SHARED_NUMBERS };

	for (uint32_t i = THREADS_WITH_OWN_NUMBER; i < profile->n_threads; i++) {
		if (i == LAST || strcmp(profile->threads[i].name, name) == 0) {
			profile->threads[i].n_threads++;
			return i;
		}
	}
	return add_thread(profile, profile->n_threads == LAST ? "" : name);
}

static void number(struct profile *profile, struct task *task)
{
	char name[NAME_BYTES] = "?";

	if (task->number != PROFILE_NONE)
		return;
	thread_read_name(task->thread, name, sizeof(name));
	task->number = profile->n_threads < THREADS_WITH_OWN_NUMBER ? add_thread(profile, name)
								    : share_number(profile, name);
}

static void add(struct profile_region *region, const struct visit_counts *counts)
{
	region->visits += counts->n_begun;
	region->visits_cut += counts->n_cut;
	region->visits_left += counts->n_left;
	region->tracing_ns += counts->tracing_ns;
}

void thread_totals_add_visits(struct engine *engine, struct task *task, uint32_t region, struct visit_counts counts)
{
	struct profile *profile = engine->profile;

	number(profile, task);
	add(&profile->regions[region], &counts);
	profile_add_thread_totals(profile, region, task->number, counts.n_begun, 0);
	if (engine->plan->per_thread) {
		uint32_t own = profile_intern_thread_region(profile, region, task->number);

		add(&profile->regions[own], &counts);
	}
}

void thread_totals_add_executions(struct engine *engine, struct task *task)
{
	for (size_t i = 0; task->n_executed && i < task->n_counting; i += thread_totals_regions_per_visit(engine))
		profile_add_thread_totals(engine->profile, task->counting[i], task->number, 0, task->n_executed);
	task->n_executed = 0;
}

void thread_totals_update_name(struct engine *engine, const struct task *task)
{
	struct profile_thread *thread;
	char name[NAME_BYTES];

	if (task->number == PROFILE_NONE || task->number >= THREADS_WITH_OWN_NUMBER ||
	    !thread_read_name(task->thread, name, sizeof(name)))
		return;
	thread = &engine->profile->threads[task->number];
	if (strcmp(thread->name, name) == 0)
		return;
	free(thread->name);
	thread->name = xstrdup(name);
}
