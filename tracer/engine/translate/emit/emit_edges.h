/* Counters of edges (transfers of control), emitted if trace_plan.want_edges.
 *
 * Each execution of a direct jump or call is an edge. Of a conditional branch only one direction is counted: inside a
 * trace the direction that leaves the trace, at the end of a fragment the direction that is rarely taken. The
 * remaining executions took the other direction. An indirect branch leads to an ibl_target for its pair of site and
 * target, and that ibl_target counts. If a trace follows an indirect branch, the count of the branch is the
 * executions of the trace minus its side exits.
 *
 * A transfer without an ibl_target is recorded in AREA_EDGES and continues through an ibl_target that does not count.
 * At the next stop of the program, each pair with two records gets an ibl_target.
 *
 * An edge counts when its target was executed. If the program stops before that, the edge is subtracted. For this
 * purpose each fragment stores in AREA_LAST_EXIT the counter by which it was left: the counter of the side exit or,
 * at its end, its own.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_EDGES_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_EDGES_H

#include "engine/translate/emit/emitter.h"

/* Emits the store to AREA_LAST_EXIT at a fragment's end. The first n_done instructions are executed and only the
 * transfer remains. The code emitted up to the next emit_state() must not fault. */
void emit_edges_done(struct translator *translator, uint32_t fragment, size_t n_done);

/* Emits the store to AREA_LAST_EXIT at a side exit with this counter. */
void emit_edges_side(struct translator *translator, uint32_t counter);

/* Returns the counter for the taken direction of the conditional branch that ends the fragment, or COUNTER_NONE. */
uint32_t emit_edges_plan_branch(struct translator *translator, const struct emission *emission);

/* Emits, after that branch, the code for the direction not taken. */
void emit_edges_not_taken(struct translator *translator, const struct emission *emission);

/* Counts at an ibl_target: control came from an indirect branch that left by counter `from`, to fragment `to`.
 * Returns the counter. */
uint32_t emit_edges_indirect(struct translator *translator, uint32_t from, uint32_t to);

/* If the branch has a counter, makes it lead to code that counts. *branch becomes the rel32 at the end of that code. */
void emit_edges_taken(struct translator *translator, struct branch_fixup *branch);

/* Emits the miss code for a kind of sites. The code records the transfer and continues, or falls through if there is
 * no room for records. */
void emit_edges_record(struct translator *translator, enum site_kind kind);

#endif
