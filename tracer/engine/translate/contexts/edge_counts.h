/* Adds counted edges (emit/emit_edges.h) to the profile. Each function does nothing unless edges are counted. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONTEXTS_EDGE_COUNTS_H
#define ITRACE_ENGINE_TRANSLATE_CONTEXTS_EDGE_COUNTS_H

#include "engine/translate/translator.h"

/* Executions of a transfer inside a fragment: those that went on in the fragment, and those that left it by the side
 * exit. */
struct inner_counts {
	uint64_t n_on, n_side;
};

/* Adds the edges of instruction `insn`, a transfer inside a fragment. */
void edge_counts_add_inner(struct translator *translator, const struct task *task, const struct fragment *fragment,
			   size_t insn, struct inner_counts counts);

/* Adds the edges of the transfer at the end of a fragment. n_branch: the value of fragment->branch_counter. */
void edge_counts_add_last(struct translator *translator, const struct task *task, const struct fragment *fragment,
			  uint64_t executions, uint64_t n_branch);

/* Adds the value of a COUNTER_INDIRECT_EDGE. */
void edge_counts_add_indirect(struct translator *translator, const struct task *task, const struct counter *counter,
			      uint64_t value);

/* Adds the records in the task's AREA_EDGES, and empties it. */
void edge_counts_add_records(struct translator *translator, const struct task *task);

/* Returns the records [*n_records] in AREA_EDGES, the newest first. */
const struct edge_record *edge_counts_records(const struct task *task, size_t *n_records);

/* Returns the instruction by which control left a fragment, from the counter that it left by (AREA_LAST_EXIT). */
size_t edge_counts_last_insn(const struct translator *translator, const struct counter *counter);

#endif
