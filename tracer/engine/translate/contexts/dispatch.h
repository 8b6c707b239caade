/* Finds or makes the fragment at which a thread goes on in translated code. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONTEXTS_DISPATCH_H
#define ITRACE_ENGINE_TRANSLATE_CONTEXTS_DISPATCH_H

#include "engine/translate/translator.h"

/* True when the task belongs to this process and is in translated code. */
static inline bool dispatch_is_inside(const struct translator *translator, const struct task *task)
{
	return task && task->backend == &translator->backend;
}

/* True when a thread other than the task's is in translated code. */
bool dispatch_has_other_threads(const struct translator *translator, const struct task *task);

/* The fragment for va, made if needed and, if so, with an ibl_target for `site`, unless that is SITE_NONE. Applies
 * all pending changes of code first. NULL when the instruction at va must be stepped. */
const struct fragment *dispatch_fragment(struct translator *translator, struct task *task, uint64_t va, uint32_t site);

/* Compares all code with the program's memory. */
void dispatch_verify_all(struct translator *translator, const struct task *task);

/* Makes ibl_targets for edges that the task recorded (AREA_EDGES) for the second time, and collects the records. */
void dispatch_count_recorded_edges(struct translator *translator, const struct task *task);

/* Forgets all translated code, which no thread is in, and makes the cache ready for use. */
void dispatch_flush(struct translator *translator);

/* Forgets all translated code, and leaves the cache unusable. */
void dispatch_clear(struct translator *translator);

/* Calls `act` for each thread of the process that has an area. */
void dispatch_for_each_area(struct translator *translator,
			    void (*act)(struct translator *translator, struct task *task));

#endif
