/* Shared between the files of region*.c only. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REGION_PRIVATE_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REGION_PRIVATE_H

#include "costmodels/estimators/pipeline/region/region.h"
#include "costmodels/estimators/pipeline/region/replay.h"

/* A pair of paths to be simulated. */
struct job {
	uint32_t from, to;
	uint64_t count; /* with those of other pairs that count as this one; 0: it counts as another one */
	uint64_t own;	/* of the pair alone */
};

/* Charges of the simulator's instructions before what is looked at. */
struct snapshot {
	uint32_t *blocks; /* of the replay, each once */
	size_t n_blocks, blocks_capacity;
	mcyc_t (*waits_mcyc)[N_WAITS]; /* of all their instructions */
	size_t n_waits_mcyc, waits_mcyc_capacity;
	uint32_t *stamps; /* [n_stamps] by block: the last snapshot that has it */
	size_t n_stamps, stamps_capacity;
	uint32_t stamp;
};

struct simulation {
	struct replay replay;
	const struct profile *profile;
	const struct profile_region *region;
	struct region_cycles *cycles;
	uint32_t context_insns;
	uint32_t *before, *after; /* [n_paths] the most frequent neighbour of each path, or PROFILE_NONE */
	uint32_t *entry;	  /* [n_paths] the most frequent one before it that is another path, or PROFILE_NONE */
	uint32_t *rounds;  /* [n_paths] how often it is behind itself each time that it is entered, in the mean */
	uint32_t *context; /* [REGION_CONTEXT_PATHS] */
	struct job *jobs;  /* by descending weight */
	size_t n_jobs;
	uint32_t *job_of;  /* [n_paths] the first job that is simulated and leads there, or UINT32_MAX */
	uint32_t *loop_of; /* [n_insns] loop by its first instruction, or UINT32_MAX */
	struct snapshot snapshot;
	uint64_t budget_insns;
	mcyc_t total_mcyc; /* charged so far */
	bool has_caches;
	size_t cache; /* of the profile: the model's */
};

/* Executed before a pair is looked at, where the model states no larger window; in paths, at most so many. */
enum { REGION_CONTEXT_INSNS = 320, REGION_CONTEXT_PATHS = 512 };

/* region_context.c */
void region_find_neighbours(struct simulation *simulation);
/* Executes what comes before a pair's second path; returns the number of paths, which are in simulation->context. */
size_t region_execute_context(struct simulation *simulation, uint32_t from);
/* Whether a path is behind itself so few times that what is around its loop matters. */
bool region_is_short_loop(const struct simulation *simulation, uint32_t path);
/* Cycles of a pair's second path and what most often comes behind it. The branch that ends its block `mispredicted` is predicted
 * wrongly, unless REPLAY_NO_BLOCK; the first load of the instruction `late` takes so many cycles more, unless PROFILE_NONE. */
uint64_t region_cycles_around(struct simulation *simulation, const struct job *job, uint32_t mispredicted,
			      uint32_t late, uint32_t late_cycles);

/* region_charges.c */
mcyc_t region_times(mcyc_t mcyc, uint64_t count); /* stops far below what the type can hold */
mcyc_t region_sum_waits(const mcyc_t waits_mcyc[N_WAITS]);
/* Remembers what was charged so far to what the context and a path execute. */
void region_take_snapshot(struct simulation *simulation, size_t n_context, uint32_t to);
/* Charges what was added since the snapshot, in so many rounds, as often as it was executed; adds it to sums_mcyc, too. */
void region_charge(struct simulation *simulation, uint64_t count, uint64_t rounds, mcyc_t sums_mcyc[N_WAITS]);
/* Charges one instruction; yields what was charged, less if all together would be far too much. */
mcyc_t region_charge_insn(struct simulation *simulation, uint32_t insn, enum simulator_wait wait, mcyc_t mcyc);

/* region_events.c: mispredictions and rare misses, each simulated once where the instruction is executed most. */
void region_run_branches(struct simulation *simulation);
void region_run_misses(struct simulation *simulation);

/* region_misses.c: whether the profile has caches like the model's; if so, has replay play the misses of loads that miss often. */
void region_prepare_misses(struct simulation *simulation, struct pipeline *pipeline);

#endif
