/* Finds or makes the fragment at which a thread continues in translated code. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONTEXTS_DISPATCH_H
#define ITRACE_ENGINE_TRANSLATE_CONTEXTS_DISPATCH_H

#include "engine/translate/translator.h"

/* Returns true if the task belongs to this process and is in translated code. */
static inline bool dispatch_is_inside(const struct translator *translator, const struct task *task)
{
	return task && task->backend == &translator->backend;
}

/* Returns true if a thread other than the task's is in translated code. */
bool dispatch_has_other_threads(const struct translator *translator, const struct task *task);

/* Interrupts all other threads in translated code, so that they leave it. Returns false if there are none. */
bool dispatch_recall_others(struct translator *translator, const struct task *task);

/* Returns the fragment for va, after all pending changes of code. Makes it if needed, with an ibl_target for `site`
 * unless that is SITE_NONE. Returns NULL if the instruction at va must be stepped. */
const struct fragment *dispatch_fragment(struct translator *translator, struct task *task, uint64_t va, uint32_t site);

/* Compares all translated code with the program's memory. */
void dispatch_verify_all(struct translator *translator, const struct task *task);

/* Makes an ibl_target for each edge that the task has now recorded twice (AREA_EDGES), and collects the records. */
void dispatch_count_recorded_edges(struct translator *translator, const struct task *task);

/* Forgets all translated code and prepares the cache for new code. No thread may be in translated code. */
void dispatch_flush(struct translator *translator);

/* Forgets all translated code and leaves the cache unusable. */
void dispatch_clear(struct translator *translator);

/* Calls `act` for each thread of the process that has an area. */
void dispatch_for_each_area(struct translator *translator,
			    void (*act)(struct translator *translator, struct task *task));

#endif
