/* Shared by the files of region/. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REGION_PRIVATE_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REGION_PRIVATE_H

#include "costmodels/estimators/pipeline/region/region.h"
#include "costmodels/estimators/pipeline/region/replay.h"

/* A pair of consecutive paths. */
struct path_pair {
	uint32_t from, to;
	uint64_t count;	      /* executions, including those of pairs charged like this one; 0: charged like another */
	uint64_t own_count;   /* executions of the pair alone */
	uint32_t repetitions; /* number of simulations, each after the context */
};

/* The charges of instructions before an execution. Later charges minus these are the charges of the execution. */
struct snapshot {
	uint32_t *blocks; /* blocks of the replay, without duplicates */
	size_t n_blocks, blocks_capacity;
	mcyc_t (*stalls_mcyc)[N_STALLS]; /* [n_stalls_mcyc] of all instructions of these blocks, in order */
	size_t n_stalls_mcyc, stalls_mcyc_capacity;
	uint32_t *stamps; /* [n_stamps] by block: number of the latest snapshot that contains the block */
	size_t n_stamps, stamps_capacity;
	uint32_t stamp; /* number of the current snapshot */
};

struct region_simulation {
	struct replay replay;
	const struct profile *profile;
	const struct profile_region *region;
	struct region_cycles *cycles;
	uint32_t context_insns;
	uint32_t *before, *after; /* [n_paths] the most frequent neighbour of each path, or PROFILE_NONE */
	uint32_t *entered_from;	  /* [n_paths] the most frequent other path before it, or PROFILE_NONE */
	uint32_t *iterations;	  /* [n_paths] mean number of repetitions after each entry */
	uint32_t *context;	  /* [REGION_CONTEXT_PATHS] */
	struct path_pair *pairs;  /* by descending weight: executions of the instructions of the second path */
	size_t n_pairs;
	uint32_t *pair_of_path; /* [n_paths] the first simulated pair that ends with the path, or UINT32_MAX */
	uint32_t *loop_of;	/* [n_insns] index of the loop with this first instruction, or UINT32_MAX */
	struct snapshot snapshot;
	uint64_t n_executions; /* of all instructions in the region */
	uint64_t budget_insns; /* number of instructions that may still be simulated */
	mcyc_t total_mcyc;     /* sum of all charges so far */
	size_t cache;	       /* index of the model's caches in profile->caches; valid if cycles->has_caches */
};

/* Limits of the context of a pair, which is the code executed before the pair. The instructions fill the ROB of Zen 4
 * or, if larger, of the model. */
enum { REGION_CONTEXT_INSNS = 320, REGION_CONTEXT_PATHS = 512 };

/* context.c */
void region_find_neighbours(struct region_simulation *simulation);
/* Executes the most frequent paths that lead to the end of `from`, the first path of a pair. Stores them in
 * simulation->context and returns their number. */
size_t region_execute_context(struct region_simulation *simulation, uint32_t from);
/* Returns whether a loop has so few iterations that the code around it matters. */
bool region_is_short_loop(const struct region_simulation *simulation, uint32_t path);
/* Returns the cycles of a pair's second path and the most frequent paths after it. `mispredicted`: index in the
 * second path of the block with a mispredicted branch at its end, or REPLAY_NO_BLOCK. `delayed_insn`: instruction
 * whose loads take delay_cycles longer in its first execution, or PROFILE_NONE. */
uint64_t region_measure_pair(struct region_simulation *simulation, const struct path_pair *pair, uint32_t mispredicted,
			     uint32_t delayed_insn, uint32_t delay_cycles);

/* charges.c */
/* Returns mcyc * count / divisor, at most 2^60. */
mcyc_t region_scale_mcyc(mcyc_t mcyc, uint64_t count, uint64_t divisor);
mcyc_t region_sum_stalls(const mcyc_t stalls_mcyc[N_STALLS]);
/* Saves the charges of all instructions of the context and a path. */
void region_take_snapshot(struct region_simulation *simulation, size_t n_context, uint32_t to);
/* Charges the cycles since the snapshot, multiplied by count / iterations. Adds them to sums_mcyc, too. */
void region_charge(struct region_simulation *simulation, uint64_t count, uint64_t iterations,
		   mcyc_t sums_mcyc[N_STALLS]);
/* Charges one instruction. Returns the charged cycles, which are fewer if the total would overflow. */
mcyc_t region_charge_insn(struct region_simulation *simulation, uint32_t insn, enum stall_cause stall, mcyc_t mcyc);

/* events.c: charges mispredictions and rare misses. */
void region_charge_mispredicts(struct region_simulation *simulation);
void region_charge_misses(struct region_simulation *simulation);

/* misses.c: finds the model's caches in the profile and prepares frequent misses. */
void region_prepare_misses(struct region_simulation *simulation, struct pipeline *pipeline);
void region_prepare_mispredictions(struct region_simulation *simulation);

#endif
