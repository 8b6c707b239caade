/* A branch predictor of the kind that CPUs have had since about 2015, with typical sizes. It models no specific CPU. A
 * branch that it mispredicts often is hard to predict for a real CPU, too.
 * - conditional: a bimodal table of 2-bit counters and BRANCH_TABLES tagged tables with increasing history: TAGE
 *   (Seznec and Michaud, JILP 8, 2006). A loop table overrules both after a loop had the same number of iterations
 *   BRANCH_LOOP_CONFIDENCE times in a row
 * - indirect: the last target after the same history or, without one, the branch's last target. This is ITTAGE
 *   (Seznec, 2011) with one table
 * - return: a stack of BRANCH_STACK addresses
 *
 * History is global: outcomes of conditional branches and two bits of each indirect target. Direct jumps and calls are
 * always predicted, because decoding gives their targets.
 */
#ifndef ITRACE_COSTMODELS_PREDICTORS_BRANCH_H
#define ITRACE_COSTMODELS_PREDICTORS_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/insn.h"

enum {
	BRANCH_BASE_ENTRIES = 1 << 14,
	BRANCH_TABLES = 6, /* for histories of 5, 12, 27, 63, 140 and 300 outcomes */
	BRANCH_TABLE_ENTRIES = 1 << 11,
	BRANCH_TAG_BITS = 11,
	BRANCH_LOOPS = 256,
	BRANCH_LOOP_CONFIDENCE = 3,
	BRANCH_TARGETS = 1 << 12, /* of each of the two tables */
	BRANCH_TARGET_HISTORY = 27,
	BRANCH_STACK = 32,
};

/* The state of one core: some 150 KB. */
struct branch_predictor;

struct branch_predictor *branch_predictor_create(void);
void branch_predictor_destroy(struct branch_predictor *predictor);

/* Predicts the successor of the instruction at va, which ends at end_va, then trains with the actual successor next_va.
 * Returns whether the prediction was wrong. Instructions without transfer of control are allowed. */
bool branch_predictor_update(struct branch_predictor *predictor, enum insn_flow flow, uint64_t va, uint64_t end_va,
			     uint64_t next_va);

#endif
