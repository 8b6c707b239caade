/* Shared by the files of simulation/. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATOR_PRIVATE_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATOR_PRIVATE_H

#include "costmodels/estimators/pipeline/block/block.h"
#include "costmodels/estimators/pipeline/block/dependences.h"
#include "costmodels/estimators/pipeline/simulation/simulator.h"

/* One use of a set of ports by an instruction. */
struct sim_use {
	port_set_t ports;
	uint16_t cycles;	 /* shared by the ports of the set */
	uint16_t fraction_mcyc;	 /* fraction of a cycle, accumulated over executions */
	uint16_t carried_mcyc;	 /* accumulated fraction, below one cycle */
	uint8_t n_waiting;	 /* micro-operations that wait in a scheduler until they start */
	enum pipeline_part part; /* of the instruction that the micro-operations execute */
	bool is_store_address;	 /* for PART_STORE */
};

/* An accessed memory operand. */
struct sim_access {
	uint8_t address_index; /* in simulator_execution.addresses, counted from the instruction's first entry */
	uint8_t bytes;
	bool is_read, is_written;
	uint8_t base, index; /* general registers, or NO_BASE */
	bool can_be_renamed; /* the CPU renames the load if the store has the same registers and displacement */
};
#define NO_BASE UINT8_MAX

struct sim_read {
	uint8_t location, part;
	uint16_t weight; /* cycles */
};

/* A lowered instruction. Its reads, writes, uses and accesses are in the simulator's pools. */
struct sim_insn {
	uint32_t first_read, first_write, first_use, first_access;
	uint8_t n_reads, n_writes, n_uses, n_accesses, n_addresses;
	uint8_t base;			      /* location of the base of its load, or NO_BASE */
	uint8_t load_latency, chased_latency; /* cycles; chased: another load loaded the base */
	uint8_t forward_latency;
	uint8_t length, opcode_offset;
	uint16_t latency;
	uint16_t issue_slots, decoded_uops;
	int8_t st_pushes_before, st_pushes_after;
	bool reads_memory, writes_memory;
	bool is_fused, could_fuse, is_complex, has_lcp;
	bool uses_rsp, reads_rsp, moves_stack;
	bool is_pure_load;
	/* For a repeating block (store_forwarding.c). */
	uint32_t forwarded_from, forwarded_distance;
	bool forwarding_fails, is_renamed;
};

enum sim_source { SOURCE_OP_CACHE, SOURCE_LOOP_BUFFER, SOURCE_DECODERS };

struct sim_block {
	uint64_t va;
	uint32_t n_bytes;
	uint32_t first_insn, n_insns;
	enum sim_source source;
};

/* A store that may forward. The table is indexed by the 8-byte granules that the store wrote to. */
struct sim_store {
	uint64_t va, ready, commit;
	uint32_t version; /* sum of simulator.versions of base and index at its execution */
	uint8_t bytes, base, index;
};

#define N_STORE_ENTRIES 4096 /* power of two; much more than any store buffer, so that collisions are rare */

/* Cycles after issue_cycle for which port occupancy is recorded. Later cycles count as free. A power of two. */
#define N_CYCLES 8192
#define WORD_CYCLES 64
#define N_WORDS (N_CYCLES / WORD_CYCLES)

#define MAX_GROUP 32	/* instructions that retire in one cycle, fused ones included */
#define MAX_WINDOW 1024 /* above any ROB; power of two */

struct sim_front {
	uint64_t cycle;		       /* current cycle of the op cache, the loop buffer or the decoders */
	uint32_t delivered;	       /* micro-operations or decoders used in it */
	uint64_t window, window_cycle; /* of the predecoder: the current window, and the latest cycle spent on it */
	uint32_t window_insns;	       /* instructions predecoded in window_cycle */
	uint32_t window_cycles;	       /* cycles spent on the window */
	uint32_t window_before;	       /* cycles spent on the previous window */
	uint64_t position; /* address of the next instruction; copies of a block follow one another unless it jumps */
	uint64_t decoded[64]; /* decode cycles of the latest instructions, for the instruction queue */
	uint64_t n_decoded;
	uint64_t last_jump; /* cycle of the latest taken jump */
};

struct simulator {
	struct pipeline *pipeline;
	const struct machine_parameters *parameters;

	struct sim_block *blocks;
	size_t n_blocks, blocks_capacity;
	struct sim_insn *insns;
	size_t n_insns, insns_capacity;
	struct simulator_charge *charges; /* [n_insns] */
	size_t n_charges, charges_capacity;
	struct sim_read *reads;
	size_t n_reads, reads_capacity;
	uint8_t *writes;
	size_t n_writes, writes_capacity;
	struct sim_use *uses;
	size_t n_uses, uses_capacity;
	struct sim_access *accesses;
	size_t n_accesses, accesses_capacity;

	struct sim_front front;
	uint64_t next_va;

	uint64_t ready[N_LOCATIONS];
	bool from_load[N_LOCATIONS];
	uint32_t versions[INSN_N_GENERAL]; /* writes of each general register so far */
	uint32_t st_top;
	bool stack_moved;

	uint64_t issue_cycle;
	uint32_t issued; /* in issue_cycle */
	uint64_t n_slots;
	uint64_t slot_issued[MAX_WINDOW], slot_retired[MAX_WINDOW];
	uint64_t n_loads, n_stores;
	uint64_t load_retired[MAX_WINDOW], store_committed[MAX_WINDOW];
	uint64_t last_commit;
	uint32_t waiting[MAX_SCHEDULERS + 1]; /* by scheduler; last: ports without a scheduler */
	uint8_t scheduler_of_port[PIPELINE_MAX_PORTS];
	uint16_t pending[PIPELINE_MAX_PORTS];	     /* micro-operations that wait for the port */
	uint16_t pending_before[PIPELINE_MAX_PORTS]; /* at the start of the cycle */
	uint64_t used[PIPELINE_MAX_PORTS];	     /* cycles in which the port was used so far */
	uint64_t taken[PIPELINE_MAX_PORTS][N_WORDS]; /* a bit for each cycle of a port */
	port_set_t starts[N_CYCLES];		     /* ports with a micro-operation that starts in the cycle */
	struct sim_store stores[N_STORE_ENTRIES];

	uint64_t last_executed; /* execution of the latest instruction */
	uint64_t completed;	/* completion of all instructions so far */
	uint64_t retire_cycle;
	uint32_t retired;	      /* slots in retire_cycle */
	uint32_t group[MAX_GROUP];    /* instructions that retire in group_cycle */
	enum stall_cause group_stall; /* of the group's first instruction */
	uint32_t n_group;
	uint64_t group_cycle, previous_group_cycle;
	uint32_t mispredicted; /* branch that the front end waited for and that is not charged yet, or NO_INSN */
};

/* lowering.c */
uint32_t simulator_lower(struct simulator *simulator, const struct block *block, uint64_t va, enum sim_source source);

/* front_end.c: returns the cycle in which the instruction is delivered. */
uint64_t front_end_deliver(struct simulator *simulator, const struct sim_block *block, const struct sim_insn *insn);
/* Continues at va after a taken jump, which ends the cycle. */
void front_end_jump(struct simulator *simulator, uint64_t va);
/* Continues with the next iteration in the loop buffer, which takes at most one jump per cycle. */
void front_end_replay(struct simulator *simulator);
/* Stalls the front end until `cycle`. */
void front_end_stall(struct simulator *simulator, uint64_t cycle);

/* The source of a load's value. */
struct sim_memory {
	uint64_t forwarded; /* cycle in which the store's data are ready; UINT64_MAX: the value comes from the cache */
	uint64_t committed; /* cycle in which the store commits to the cache */
	bool fails;	    /* the store covers only a part of the load */
	bool is_renamed;
	uint32_t extra_cycles; /* added to the latency of an L1 hit */
};

/* ports.c: advances issue_cycle to `cycle`. */
void simulator_advance(struct simulator *simulator, uint64_t cycle);
/* Occupies ports of the use at or after `from`. Returns the first occupied cycle. */
uint64_t simulator_occupy(struct simulator *simulator, struct sim_use *use, uint64_t from);

/* simulator.c */
/* Executes one instruction. Returns the cycle in which the data of its store are ready. */
uint64_t simulator_step(struct simulator *simulator, const struct sim_block *block, uint32_t insn,
			const struct sim_memory *memory, struct pipeline_times *times);

/* steady_state.c: returns cycles per iteration. */
mcyc_t simulator_run_block(struct simulator *simulator, const struct block *block, enum pipeline_mode mode);

/* Simulates the first iterations. Writes times[n_iterations][n_insns], in cycles of the simulator. */
void simulator_run_iterations(struct simulator *simulator, const struct block *block, enum pipeline_mode mode,
			      uint32_t n_iterations, struct pipeline_times *times);

#endif
