/* Transfers of control, counted where they are asked for (trace_plan.want_edges).
 *
 * Of a direct jump or call each execution is one. Of a conditional branch one arm is counted: of a branch backwards how often it was
 * not taken, of other ones how often it was. Indirect transfers arrive at a landing for each pair of site and target, which counts:
 * every site has a place in the table of its own.
 *
 * A transfer counts once its target was executed. So that one that is not can be taken back when the program stops, each block leaves
 * its index in AREA_FROM when it is done.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_EDGES_H
#define ITRACE_ENGINE_TRANSLATE_EDGES_H

#include "engine/translate/emit_insn.h"
#include "engine/translate/internal.h"

/* emit_edges.c: code. Each does nothing unless transfers are asked for. */

/* The first n_done instructions of the block are executed, and its transfer is all that is left. What is emitted up to the next mark
 * must not fault. */
void edges_emit_done(struct translator *translator, uint32_t block, size_t n_done);

/* The block ends in a direct transfer. Returns the counter for edges_emit_taken. */
uint32_t edges_plan_direct(struct translator *translator, uint32_t block, const struct draft *draft);

/* Behind a conditional branch: it was not taken. */
void edges_emit_not_taken(struct translator *translator, uint32_t block, const struct draft *draft);

/* Makes the branch lead to code that counts it, and *branch what leads on from there. */
void edges_emit_taken(struct translator *translator, struct chain_branch *branch);

/* The block ends in an indirect transfer. Returns the part of the table that it uses. */
uint32_t edges_plan_site(struct translator *translator, uint32_t block);

/* Behind a landing: control came from the block `from`. Returns the counter. */
uint32_t edges_emit_landed(struct translator *translator, uint32_t from, uint32_t to);

/* edges.c: stopped threads. */

/* The task goes on in translated code, with this block. */
void edges_enter(struct translator *translator, struct task *task, const struct block *block);

/* It stands before the instruction `insn` of the block, which counted itself or not yet. */
void edges_settle(struct translator *translator, struct task *task, const struct block *block, size_t insn,
		  bool is_counted);

/* The block that was executed last in translated code; COUNTER_NONE: none since the task came there, or edges are not counted. */
uint32_t edges_from(const struct translator *translator, const struct task *task);

/* It left by this exit. */
void edges_settle_exit(struct translator *translator, struct task *task, const struct exit *exit);

/* It died in the midst of our own work. */
void edges_settle_death(struct translator *translator, struct task *task);

/* Adds to the profile what follows from the executions of a block, and what its arm and a landing counted. The block comes first. */
void edges_harvest_block(struct translator *translator, const struct task *task, const struct block *block,
			 uint64_t executions);
void edges_harvest_arm(struct translator *translator, const struct task *task, const struct block *block,
		       uint64_t value);
void edges_harvest_landed(struct translator *translator, const struct task *task, const struct counter *counter,
			  uint64_t value);

#endif
