/* Moves counters into the profile: executions, system calls, and edges (emit/emit_edges.h) if they are counted. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONTEXTS_COLLECT_H
#define ITRACE_ENGINE_TRANSLATE_CONTEXTS_COLLECT_H

#include "engine/translate/translator.h"

/* Adds all counters, recorded edges and the log of a task to the regions that it counts into, and zeroes them. */
void collect_counters(struct translator *translator, struct task *task);

/* Adds one execution of each of the first n_insns of a fragment. */
void collect_partial_fragment(struct translator *translator, struct task *task, const struct fragment *fragment,
			      size_t n_insns);

/* Returns the edge records [*n_records] of a task (AREA_EDGES), the newest first. */
const struct edge_record *collect_edge_records(const struct task *task, size_t *n_records);

/* Adds the task's edge records, and empties AREA_EDGES. */
void collect_edges(struct translator *translator, const struct task *task);

#endif
