/* Moves counters into the profile. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONTEXTS_COLLECT_H
#define ITRACE_ENGINE_TRANSLATE_CONTEXTS_COLLECT_H

#include "engine/translate/translator.h"

/* Adds all counters and the log of a task to the regions that it counts into, and zeroes them. */
void collect_counters(struct translator *translator, struct task *task);

/* Adds one execution of each of the first n_insns of a fragment. */
void collect_partial_fragment(struct translator *translator, struct task *task, const struct fragment *fragment,
			      size_t n_insns);

#endif
