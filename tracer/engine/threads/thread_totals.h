/* What each thread has of the regions: its share, always, and its part, with plan->per_thread (profile.h).
 *
 * Threads get their numbers in the profile as they come to a region first. Those beyond the first so many are told apart by
 * the names that they have then, and where there are too many of those, not at all: memory stays bounded.
 */
#ifndef ITRACE_ENGINE_THREADS_THREAD_TOTALS_H
#define ITRACE_ENGINE_THREADS_THREAD_TOTALS_H

#include "engine/task.h"

enum {
	THREADS_OF_THEIR_OWN = 100,
	THREADS_NAMES = 20, /* of the others */
};

/* What is to be added to a region's counts of visits. */
struct visit_facts {
	uint64_t n_begun, n_cut, n_left;
	uint64_t tracing_ns;
};

/* To a region of all threads, and to what the thread has of it. */
void threads_add(struct engine *engine, struct task *task, uint32_t region, struct visit_facts facts);

/* Gives the thread its share of what was counted since. To be called before task->counting changes. */
void threads_share_executions(struct engine *engine, struct task *task);

/* Looks at the name again: threads get theirs when they run already. */
void threads_name(struct engine *engine, const struct task *task);

/* How many regions in task->counting belong to one visit. */
size_t threads_per_visit(const struct engine *engine);

#endif
