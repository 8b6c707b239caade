/* Transfers of control, counted where they are asked for (trace_plan.want_edges).
 *
 * Of a direct jump or call each execution is one. Of a conditional branch one arm is counted: that of the side by which it leaves a trace, or,
 * where a block ends in it, the one that is hardly taken. Indirect transfers arrive at a landing for each pair of site and target, which
 * counts: every site has a place in the table of its own. Where they lead on in the trace that they are in, all do but those who leave by the side.
 *
 * For a pair that has no landing yet the transfer is recorded, and then goes the way of all those that were: to a landing that does not count. What was
 * recorded twice gets one of its own when the program stops.
 *
 * A transfer counts once its target was executed. So that one that is not can be taken back when the program stops, each block leaves in
 * AREA_FROM how it was left: the index of the counter of that side or, at its end, of its own.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_CONTEXTS_EDGES_H
#define ITRACE_ENGINE_TRANSLATE_CONTEXTS_EDGES_H

#include "engine/translate/emit/emit_block.h"
#include "engine/translate/translator.h"

/* emit_edges.c: code. Each does nothing unless transfers are asked for. */

/* The first n_done instructions of the block are executed, and its transfer is all that is left. What is emitted up to the next mark
 * must not fault. */
void edges_emit_done(struct translator *translator, uint32_t block, size_t n_done);

/* It is left by a side. */
void edges_emit_side(struct translator *translator, uint32_t counter);

/* The block ends in a conditional branch. Returns the counter on the way to its target, or COUNTER_NONE. */
uint32_t edges_plan_arm(struct translator *translator, uint32_t block, const struct draft *draft);

/* Behind it: it was not taken. */
void edges_emit_not_taken(struct translator *translator, uint32_t block, const struct draft *draft);

/* Behind a landing: control came from where a block was left by an indirect transfer. Returns the counter. */
uint32_t edges_emit_landed(struct translator *translator, uint32_t from, uint32_t to);

/* Makes the branch lead to code that counts it, and *branch what leads on from there. Nothing to do with transfers but for those. */
void edges_emit_taken(struct translator *translator, struct chain_branch *branch);

/* Where an indirect transfer of this kind has no landing: records it and goes on, or comes to what follows when there is no more room. */
void edges_emit_record(struct translator *translator, enum site_kind kind);

/* edges.c: stopped threads. */

/* An indirect transfer that has no counter. */
struct record {
	uint64_t target_va;
	uint64_t from; /* as in AREA_FROM */
};

/* The task goes on in translated code, with this block. */
void edges_enter(struct translator *translator, struct task *task, const struct block *block);

/* It stands before the instruction `insn` of the block. */
void edges_settle(struct translator *translator, struct task *task, const struct block *block, size_t insn);

/* It left by an exit, with va to be executed next. */
void edges_settle_exit(struct translator *translator, struct task *task, uint64_t va);

/* Makes landings for what the task recorded. */
void edges_land(struct translator *translator, const struct task *task);

/* It died in the midst of our own work. */
void edges_settle_death(struct translator *translator, struct task *task);

/* Adds to the profile: a transfer in the midst of a block, that went on in it and left by the side so many times; the one at its end, with the
 * executions of the block's last instruction and what block->arm counted; what a landing counted; what the task recorded. */
void edges_harvest_inner(struct translator *translator, const struct task *task, const struct block *block, size_t insn,
			 uint64_t n_on, uint64_t n_side);
void edges_harvest_last(struct translator *translator, const struct task *task, const struct block *block,
			uint64_t executions, uint64_t n_arm);
void edges_harvest_landed(struct translator *translator, const struct task *task, const struct counter *counter,
			  uint64_t value);
void edges_harvest_records(struct translator *translator, const struct task *task);

#endif
