/* Cycles of a region on an out-of-order CPU, from its executed paths (profile.h).
 *
 * Each frequent pair of consecutive paths is simulated after its most frequent predecessors, which fill the reorder
 * buffer first. The cycles that the second path adds are multiplied by the count of the pair. A path that follows
 * itself is a loop and is simulated until the time of an iteration settles. A loop of few iterations is simulated
 * from entry to exit.
 *
 * Mispredictions and misses of an instruction that occur in at least one of 16 executions are part of the simulation,
 * at random and at their rate. Each rarer event is simulated once, and its cost is multiplied by its count. If the
 * profile has no misses for the model's caches, all loads are assumed to hit the L1 cache.
 *
 * A rare pair is not simulated. Its executions cost as much as those of the most frequent simulated pair with the
 * same second path. An instruction of a path that is in no simulated pair costs the mean of the simulated
 * instructions.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REGION_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REGION_H

#include "costmodels/estimators/pipeline/simulation/simulator.h"
#include "profile/profile.h"

/* A loop: paths with the same first instruction that follow one another. The figures exclude the first iteration
 * after each entry. Inner loops and loops in called functions are loops of their own. */
struct region_loop {
	uint32_t head; /* first instruction */
	uint32_t path; /* the most expensive path */
	uint64_t iterations;
	uint64_t executions;	      /* of instructions */
	mcyc_t stalls_mcyc[N_STALLS]; /* without rare mispredictions and misses */
};

struct region_cycles {
	mcyc_t *insn_mcyc; /* [n_insns] by instruction index; insn_mcyc and stalls_mcyc have the same total */
	size_t n_insns;	   /* n_counts of the region */
	mcyc_t stalls_mcyc[N_STALLS];
	/* Executions of instructions, by the simulation that gives their cost: */
	uint64_t n_simulated;	  /* of their own pair */
	uint64_t n_other_context; /* of another pair with the same second path */
	uint64_t n_averaged;	  /* the mean of all simulated instructions */
	uint64_t n_mispredicts;
	bool has_caches; /* the profile has the misses of the model's caches; else all data are assumed in L1 */
	uint64_t n_misses[N_PROFILE_MISSES];
	struct region_loop *loops; /* by descending cycles */
	size_t n_loops, loops_capacity;
};

/* Requires a profile with paths. Instructions that cannot be decoded take no time. */
void region_cycles_init(struct region_cycles *cycles, struct pipeline *pipeline, const struct profile *profile,
			uint32_t region);
void region_cycles_deinit(struct region_cycles *cycles);

#endif
