/* Straight-line runs of a region: sequences of instructions without a transfer of control inside, and their counts.
 *
 * A run extends to the next instruction that may transfer control. A run that starts n times therefore executes n
 * times to its end. Executions and edges give n for each kind of start:
 * - the target of a taken transfer: the count of the edge
 * - the instruction after a transfer that was not taken: executions of the transfer minus its outgoing edges
 * - the start of a visit: executions of the first instruction that the other starts do not explain
 *
 * If an instruction inside a run executes more often than the next one, visits ended at it. They are a shorter run.
 *
 * The counts of all runs over an instruction add up to its executions. A profile does not tell in which of several
 * runs over the same instructions a visit ended, nor which version of modified code followed. The first candidate is
 * taken.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_P5_RUNS_H
#define ITRACE_COSTMODELS_ESTIMATORS_P5_RUNS_H

#include "profile/profile.h"

struct run {
	uint32_t from;	  /* the instruction before the run, or PROFILE_NONE */
	uint32_t first;	  /* instruction index; runs.next gives the others */
	uint32_t n_insns; /* at least 1 */
	uint64_t count;
};

struct runs {
	struct run *runs;
	size_t n_runs, runs_capacity;
	uint32_t *next; /* [n_counts of the region] the next instruction of a run, or PROFILE_NONE */
};

void runs_init(struct runs *runs, const struct profile *profile, uint32_t region);
void runs_deinit(struct runs *runs);

#endif
