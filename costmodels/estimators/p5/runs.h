/* Straight-line runs of a region: sequences of instructions without a transfer of control inside, and their counts.
 *
 * A run starts where control arrives: at the target of a taken transfer, after a transfer that was not taken, or
 * where a visit began. It extends to the next instruction that may transfer control. A run that starts n times
 * therefore executes n times to its end. Executions and edges give each n:
 * - at the target of an edge: the edge's count
 * - after a transfer: its executions minus its outgoing edges
 * - at the start of a visit: the rest of an instruction's executions
 * - where a visit ends inside a run: the executions that the next instruction lacks; that run ends there
 *
 * The counts of all runs over an instruction add up to its executions. A profile leaves two things open: in which of
 * several runs over the same instructions a visit ended, and which version of modified code followed. The first
 * candidate is taken.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_P5_RUNS_H
#define ITRACE_COSTMODELS_ESTIMATORS_P5_RUNS_H

#include "profile/profile.h"

struct run {
	uint32_t from;	  /* the instruction before the run, or PROFILE_NONE */
	uint32_t first;	  /* instruction index; runs.next leads to the others */
	uint32_t n_insns; /* at least 1 */
	uint64_t count;
};

struct runs {
	struct run *runs;
	size_t n_runs, runs_capacity;
	uint32_t *next; /* [n_counts of the region] the instruction it falls through to, or PROFILE_NONE */
};

void runs_init(struct runs *runs, const struct profile *profile, uint32_t region);
void runs_deinit(struct runs *runs);

#endif
