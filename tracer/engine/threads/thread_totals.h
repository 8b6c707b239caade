/* The threads of a profile: how many visits and instructions each has of each region and, with plan->per_thread,
 * regions of their own.
 *
 * Threads get numbers as they come to a region first. Beyond the first THREADS_OF_THEIR_OWN, threads with the same
 * name share a number, and beyond THREADS_NAMES such names all share one, so that memory stays bounded.
 */
#ifndef ITRACE_ENGINE_THREADS_THREAD_TOTALS_H
#define ITRACE_ENGINE_THREADS_THREAD_TOTALS_H

#include "engine/run.h"
#include "engine/task.h"

enum {
	THREADS_OF_THEIR_OWN = 100,
	THREADS_NAMES = 20,
};

/* Numbers to be added to a region. */
struct visit_counts {
	uint64_t n_begun, n_cut, n_left;
	uint64_t tracing_ns;
};

/* Adds to a region of the process, and to what the thread has of it. */
void thread_totals_add_visits(struct engine *engine, struct task *task, uint32_t region, struct visit_counts counts);

/* Adds task->n_executed to what the thread has of the regions in task->counting; called before those change. */
void thread_totals_add_executions(struct engine *engine, struct task *task);

/* Reads the thread's name again: threads set theirs after they were created. */
void thread_totals_update_name(struct engine *engine, const struct task *task);

/* Entries of task->counting for each visit. */
size_t thread_totals_regions_per_visit(const struct engine *engine);

#endif
