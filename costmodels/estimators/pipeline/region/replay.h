/* Executes paths of a profile in a simulator. Private to costmodels/estimators/pipeline. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REPLAY_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REPLAY_H

#include "base/index.h"
#include "costmodels/estimators/pipeline/simulation/simulator.h"
#include "profile/profile.h"

#define REPLAY_NO_BLOCK UINT32_MAX

/* Instructions of a path that are contiguous in memory, as a block of the simulator. */
struct replay_block {
	uint32_t number;     /* number of the simulator's block; REPLAY_NO_BLOCK: its bytes cannot be decoded */
	uint32_t first_insn; /* in replay->insns */
	uint32_t n_insns;
	uint32_t n_addresses; /* simulator_execution.addresses */
};

/* The blocks of a path. */
struct replay_path {
	size_t first_block; /* in path_blocks */
	uint32_t n_blocks;  /* 0: not computed yet */
};

/* Shares of an instruction's executions in which its load misses or its branch is mispredicted, in units of
 * 1/REPLAY_ALWAYS. 0: too rare to simulate. */
#define REPLAY_ALWAYS (1u << 16)
struct replay_events {
	uint32_t misses[N_PROFILE_MISSES];
	uint32_t mispredictions;
};

struct replay {
	const struct profile *profile;
	struct simulator *simulator;
	struct replay_path *paths; /* [profile->n_paths] */
	uint32_t *path_blocks;	   /* indices in blocks */
	size_t n_path_blocks, path_blocks_capacity;
	struct replay_block *blocks;
	size_t n_blocks, blocks_capacity;
	uint32_t *insns; /* the instructions of all blocks, by index in the profile */
	size_t n_insns, insns_capacity;
	struct index block_index; /* of blocks by instructions */
	uint64_t *addresses;	  /* [n_addresses] addresses of the operands of the latest executions of paths */
	size_t n_addresses, addresses_capacity;
	size_t first_addresses
		[3]; /* index in addresses of the first address of each of the N_KEPT latest executions, latest first */
	uint32_t path_addresses[3]; /* number of addresses of each of these executions */
	uint64_t latest_va;	    /* address of the latest operand that got a new address */
	uint8_t *insn_addresses;    /* [n_insns] number of operand addresses of each instruction in insns */
	size_t n_insn_addresses, insn_addresses_capacity;
	struct replay_events *events; /* [profile->n_insns] */
	uint64_t random;	      /* state of the generator that decides which executions have an event */
	uint32_t miss_cycles[N_PROFILE_MISSES];
	/* Instruction whose loads take delay_cycles longer in its next execution, or PROFILE_NONE. */
	uint32_t delayed_insn;
	uint32_t delay_cycles;
	uint32_t *load_cycles; /* [load_cycles_capacity] simulator_execution.load_cycles of one block */
	size_t load_cycles_capacity;
};

void replay_init(struct replay *replay, const struct profile *profile, struct pipeline *pipeline);
void replay_deinit(struct replay *replay);

/* Returns the blocks of a path, as [n_blocks] indices in replay->blocks. */
const uint32_t *replay_blocks(struct replay *replay, uint32_t path, uint32_t *n_blocks);

/* Lets all instructions retire and forgets the addresses of earlier executions. */
void replay_restart(struct replay *replay);

/* Restarts the pseudo-random sequence of events. Two replays of the same paths then have the same events. */
void replay_repeat_events(struct replay *replay);

/* Executes a path. `mispredicted`: index of the block of the path with a mispredicted branch at its end, or
 * REPLAY_NO_BLOCK. */
void replay_execute(struct replay *replay, uint32_t path, uint32_t mispredicted);

/* Returns whether an instruction has events that are frequent enough to be simulated. */
bool replay_has_frequent_event(const struct replay *replay, uint32_t insn);

#endif
