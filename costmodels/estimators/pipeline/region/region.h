/* What a region took on an out-of-order CPU, from the paths that it executed (profile.h).
 *
 * Each pair of paths is simulated behind what most often came before it, in a machine that is as full as it would be: what the
 * second path adds to the cycles, times how often the pair was executed. A path behind itself is a loop, and is simulated until
 * its rounds take the same time; one that is left after few rounds is simulated for as many, behind what it is entered from. What a
 * mispredicted branch adds is found by simulating it once, and added as often as the profile says; likewise what a load adds
 * that rarely misses a cache. Loads that miss often do so in the simulation. Where the
 * profile does not know what the model's caches miss, all data are in the L1 cache.
 *
 * Not all pairs are worth it: those of few executions count as the same path behind another one; a path that is simulated
 * nowhere counts as the mean of the instructions that are.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REGION_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REGION_H

#include "costmodels/estimators/pipeline/simulation/simulate.h"
#include "profile/profile.h"

/* Paths that begin with one instruction, executed behind one another: the rounds of a loop, but for the first of each time that it
 * was entered. What an inner loop or a called function's loop takes is in those alone. */
struct region_loop {
	uint32_t head; /* instruction that it begins with */
	uint32_t path; /* the most expensive one */
	uint64_t rounds, executions;
	mcyc_t waits_mcyc[N_WAITS]; /* mispredictions excepted */
};

struct region_cycles {
	mcyc_t *insn_mcyc; /* [n_insns], by instruction index; their sum is that of waits_mcyc */
	size_t n_insns;	   /* n_counts of the region */
	mcyc_t waits_mcyc[N_WAITS];
	uint64_t n_simulated, n_related, n_averaged; /* executions: in their pair, in another pair, by the mean */
	uint64_t n_mispredicts;
	bool has_caches; /* the profile has what the model's caches missed; else all data are in the first one */
	uint64_t n_misses[N_PROFILE_MISSES];
	struct region_loop *loops; /* by descending cycles */
	size_t n_loops, loops_capacity;
};

/* For a profile that has paths. Instructions that cannot be decoded take no time. */
void region_cycles_init(struct region_cycles *cycles, struct pipeline *pipeline, const struct profile *profile,
			uint32_t region);
void region_cycles_deinit(struct region_cycles *cycles);

#endif
