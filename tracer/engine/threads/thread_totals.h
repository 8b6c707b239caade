/* The threads of a profile: the visits and instructions of each thread in each region. With plan->per_thread each
 * thread also has regions of its own.
 *
 * Threads get numbers in the order in which they first enter a region. The first THREADS_WITH_OWN_NUMBER threads have a
 * number each. Later threads with equal names share a number, and after THREADS_SHARED_NUMBERS such numbers all further
 * threads share one. So memory stays bounded.
 */
#ifndef ITRACE_ENGINE_THREADS_THREAD_TOTALS_H
#define ITRACE_ENGINE_THREADS_THREAD_TOTALS_H

#include "engine/run.h"

enum {
	THREADS_WITH_OWN_NUMBER = 100,
	THREADS_SHARED_NUMBERS = 20,
};

/* Visits to add to a region. */
struct visit_counts {
	uint64_t n_begun, n_cut, n_left;
	uint64_t tracing_ns;
};

/* Adds visits to a region of the process and to the thread's totals of it. */
void thread_totals_add_visits(struct engine *engine, struct task *task, uint32_t region, struct visit_counts counts);

/* Adds task->n_executed to the thread's totals of the regions in task->counting. Called before those regions change. */
void thread_totals_add_executions(struct engine *engine, struct task *task);

/* Reads the thread's name again, because threads set their names after their creation. */
void thread_totals_update_name(struct engine *engine, const struct task *task);

/* Returns the number of entries in task->counting for each visit. */
size_t thread_totals_regions_per_visit(const struct engine *engine);

#endif
