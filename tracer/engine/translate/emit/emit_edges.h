/* Counters of edges (transfers of control), emitted if trace_plan.want_edges.
 *
 * Each execution of a direct jump or call is an edge. Of a conditional branch one direction is counted: inside a
 * trace the one that leaves it, at the end of a fragment the one that is rarely taken; the other is the rest of the
 * executions. Indirect branches arrive at an ibl_target for each pair of site and target, which counts. An indirect
 * branch that a trace follows is counted by the executions of the trace less its side exits.
 *
 * A transfer for which there is no ibl_target yet is recorded in AREA_EDGES, and goes on through an ibl_target that
 * does not count. After two records of a pair an ibl_target is made for it when the program stops.
 *
 * An edge counts once its target was executed. So that the edge of a target that was not can be taken back when the
 * program stops, each fragment leaves in AREA_LAST_EXIT by which counter it was left: that of the side exit or, at
 * its end, its own.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_EDGES_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_EDGES_H

#include "engine/translate/emit/emitter.h"

/* The first n_done instructions of the fragment are executed and only its transfer is left. Code emitted up to the
 * next state must not fault. */
void emit_edges_done(struct translator *translator, uint32_t fragment, size_t n_done);

/* The fragment is left by a side exit with this counter. */
void emit_edges_side(struct translator *translator, uint32_t counter);

/* The fragment ends in a conditional branch. Returns the counter for the taken direction, or COUNTER_NONE. */
uint32_t emit_edges_plan_branch(struct translator *translator, const struct emission *emission);

/* Behind that branch: it was not taken. */
void emit_edges_not_taken(struct translator *translator, const struct emission *emission);

/* At an ibl_target: control came from an indirect branch that left by counter `from`, to fragment `to`. Returns the
 * counter. */
uint32_t emit_edges_indirect(struct translator *translator, uint32_t from, uint32_t to);

/* If the branch has a counter: makes it lead to code that counts, and *branch the rel32 that leads on from there. */
void emit_edges_taken(struct translator *translator, struct branch_fixup *branch);

/* The miss code for a kind of sites: records the transfer and goes on, or falls through when there is no more room. */
void emit_edges_record(struct translator *translator, enum site_kind kind);

#endif
