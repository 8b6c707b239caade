/* A branch predictor of the kind that CPUs have had since about 2015. No claim about any of them: sizes are chosen to be plausible, and
 * what it mispredicts is an estimate of what is hard to predict.
 *
 *   conditional   the most frequent direction (2 bits), unless one of BRANCH_TABLES tagged tables, indexed by address and ever
 *                 longer history, knows better: TAGE (Seznec and Michaud, JILP 8, 2006). A table of loops overrules
 *                 both where a branch left the same number of rounds BRANCH_LOOP_CONFIDENCE times in a row
 *   indirect      the last target after the same history, else the last target: the idea of ITTAGE (Seznec, 2011), one table
 *   return        a stack of BRANCH_STACK addresses
 *
 * History is global: the outcomes of conditional branches, and two bits of each indirect target. Direct jumps and calls
 * are always predicted: the code was decoded before.
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

/* An instruction at va, behind which end_va lies, went on at next_va: whether that was predicted wrongly. Instructions that do not
 * transfer control are fine. */
bool branch_predictor_meet(struct branch_predictor *predictor, enum insn_flow flow, uint64_t va, uint64_t end_va,
			   uint64_t next_va);

#endif
