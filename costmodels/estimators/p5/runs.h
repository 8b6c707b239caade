/* The straight-line runs of a region: which instructions were executed one behind the other, and how often.
 *
 * A run begins where control came in: at the target of a taken transfer, behind a transfer that was not taken, or where a
 * visit began. It goes on to the next instruction that may transfer control, for whatever is between them always falls
 * through. So a run that begins n times is executed to its end n times, and executions and edges give every n:
 *
 *   target of an edge             the edge's count
 *   behind a transfer             its executions less its outgoing edges
 *   begin of a visit              what is left of an instruction's executions
 *   end of a visit within a run   the executions that its next instruction lacks; these end the run early
 *
 * The counts of the runs over an instruction thus add up to its executions. What the profile does not tell is which of
 * several runs over the same instructions a visit's end cut, and, where code was changed, which of the instructions
 * that one address had came next: the first ones are taken.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_P5_RUNS_H
#define ITRACE_COSTMODELS_ESTIMATORS_P5_RUNS_H

#include "profile/profile.h"

struct run {
	uint32_t from;	  /* the instruction that control came from, or PROFILE_NONE */
	uint32_t first;	  /* instruction index; the others follow through runs.next */
	uint32_t n_insns; /* at least 1 */
	uint64_t count;
};

struct runs {
	struct run *runs;
	size_t n_runs, runs_capacity;
	uint32_t *next; /* [n_counts of the region] the instruction that it falls through to, or PROFILE_NONE */
};

void runs_init(struct runs *runs, const struct profile *profile, uint32_t region);
void runs_deinit(struct runs *runs);

#endif
