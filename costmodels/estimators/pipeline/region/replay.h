/* Executes paths of a profile in a simulator. Private to costmodels/estimators/pipeline. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REPLAY_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_REGION_REPLAY_H

#include "base/index.h"
#include "costmodels/estimators/pipeline/simulation/simulator.h"
#include "profile/profile.h"

#define REPLAY_NO_BLOCK UINT32_MAX

/* A straight line of code of a path, as a block of the simulator. */
struct replay_block {
	uint32_t number;     /* in the simulator; REPLAY_NO_BLOCK: cannot be decoded */
	uint32_t first_insn; /* in replay->insns */
	uint32_t n_insns;
	uint32_t n_addresses;
};

/* A path made of blocks. */
struct replay_path {
	size_t first_block; /* in path_blocks */
	uint32_t n_blocks;  /* 0: not made yet */
};

/* How often an instruction's load misses and its branch is mispredicted, in units of 1/REPLAY_ALWAYS; 0: rarely, not
 * simulated. */
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
	uint32_t *insns; /* instruction indices */
	size_t n_insns, insns_capacity;
	struct index block_index; /* of blocks by instructions */
	uint64_t *addresses;	  /* [n_addresses] of operands, of the kept executions */
	size_t n_addresses, addresses_capacity;
	size_t first_addresses[3];  /* in addresses: of the kept executions (N_KEPT), latest first */
	uint32_t path_addresses[3]; /* number of addresses of each */
	uint64_t next_va;	    /* next data address */
	uint8_t *insn_addresses;    /* [n_insns] number of operand addresses of each of insns */
	size_t n_insn_addresses, insn_addresses_capacity;
	struct replay_events *events; /* [profile->n_insns] */
	uint64_t random;	      /* decides which executions have an event */
	uint32_t miss_cycles[N_PROFILE_MISSES];
	uint32_t delayed_insn,
		delay_cycles;  /* instruction whose next load takes delay_cycles longer, or PROFILE_NONE */
	uint32_t *load_cycles; /* [load_cycles_capacity] of one block */
	size_t load_cycles_capacity;
};

void replay_init(struct replay *replay, const struct profile *profile, struct pipeline *pipeline);
void replay_deinit(struct replay *replay);

/* The blocks of a path, by their indices in replay->blocks. */
const uint32_t *replay_blocks(struct replay *replay, uint32_t path, uint32_t *n_blocks);

/* Empties the machine. */
void replay_restart(struct replay *replay);

/* Begins the sequence of events anew: two runs over equal paths have equal events. */
void replay_repeat_events(struct replay *replay);

/* Executes a path. The branch at the end of its block with index `mispredicted` is mispredicted; REPLAY_NO_BLOCK:
 * none. */
void replay_execute(struct replay *replay, uint32_t path, uint32_t mispredicted);

/* Returns whether an instruction has events in the simulation. */
bool replay_has_frequent_event(const struct replay *replay, uint32_t insn);

#endif
