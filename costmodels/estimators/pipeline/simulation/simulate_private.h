/* Inside the simulator. Private to simulate*.c. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATE_PRIVATE_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATE_PRIVATE_H

#include "costmodels/estimators/pipeline/block/block.h"
#include "costmodels/estimators/pipeline/block/dependences.h"
#include "costmodels/estimators/pipeline/simulation/simulate.h"

/* Ports that one instruction occupies together. */
struct sim_use {
	port_set_t ports;
	uint16_t cycles;	/* of all ports of the set together */
	uint16_t fraction_mcyc; /* that are left; they add up to a cycle now and then */
	uint16_t carried_mcyc;	/* of them so far */
	uint8_t n_waiting;	/* micro-operations that take an entry of the scheduler until they start */
	enum insn_node node;	/* for whose sources they wait: NODE_LOAD, NODE_RESULT, NODE_STORE (the data) */
	bool is_store_address;	/* of NODE_STORE */
};

/* A memory operand that is accessed. */
struct sim_access {
	uint8_t word; /* of the instruction's */
	uint8_t bytes;
	bool is_read, is_written;
	uint8_t base, index; /* general registers, or NO_BASE */
	bool is_renamed;     /* where it names the store's place in the same way */
};
#define NO_BASE UINT8_MAX

struct sim_read {
	uint8_t location, node;
	uint16_t weight; /* cycles */
};

/* An instruction, lowered once. Reads, writes, uses and accesses are in the simulator's pools. */
struct sim_insn {
	const struct form_facts *facts;
	uint32_t first_read, first_write, first_use, first_access;
	uint8_t n_reads, n_writes, n_uses, n_accesses, n_words;
	uint8_t base; /* the location of the base of its load, or NO_BASE */
	uint8_t load_latency, chased_latency;
	uint8_t forward_latency;
	uint8_t length, opcode_offset;
	uint16_t latency;
	uint16_t issue_slots, decoded_uops;
	int8_t st_pushes_before, st_pushes_after;
	bool reads_memory, writes_memory;
	bool is_fused, could_fuse, is_complex, has_lcp;
	bool uses_rsp, reads_rsp, moves_stack;
	bool is_pure_load;
	bool is_repeated;
	/* Of a block that repeats: memory.c. */
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

/* What of a store a load may want: in a table by the 8 bytes that it wrote to. */
struct sim_store {
	uint64_t va, ready, commit;
	uint32_t version; /* of base and index together */
	uint8_t bytes, base, index;
};

#define N_STORE_ENTRIES 4096 /* power of two; more than any store buffer has, so that they hardly meet */

/* The cycles in sight. What is further ahead takes no port: nothing else comes near it. Power of two. */
#define N_CYCLES 8192
#define WORD_CYCLES 64
#define N_WORDS (N_CYCLES / WORD_CYCLES)

#define MAX_GROUP 32	/* instructions that retire in one cycle: slots, and what is fused with one */
#define MAX_WINDOW 1024 /* above any ROB; power of two */

struct sim_front {
	uint64_t cycle;	    /* in which the op cache, the loop buffer or the decoders are */
	uint32_t delivered; /* micro-operations in it, or decoders taken */
	/* Predecoder: which window, in which cycle, how many instructions in it; cycles that the window took. */
	uint64_t window, window_cycle;
	uint32_t window_insns, window_cycles, window_before;
	uint64_t position;    /* of code, as bytes laid out one behind the other */
	uint64_t decoded[64]; /* cycles of the latest, for the instruction queue */
	uint64_t n_decoded;
	uint64_t last_jump; /* the cycle of the latest that was taken */
};

/* A part of an instruction: it starts, and its result is there; 0: there is no such part. */
struct sim_part {
	uint64_t started, done;
};

/* What its stages came to, for timelines. */
struct sim_times {
	uint64_t issued, retired;
	struct sim_part parts[N_NODES];
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
	uint32_t versions[INSN_N_GENERAL];
	uint32_t st_top;
	bool stack_moved;

	uint64_t issue_cycle;
	uint32_t issued; /* in it */
	uint64_t n_slots;
	uint64_t slot_issued[MAX_WINDOW], slot_retired[MAX_WINDOW];
	uint64_t n_loads, n_stores;
	uint64_t load_retired[MAX_WINDOW], store_committed[MAX_WINDOW];
	uint64_t last_commit;
	uint32_t waiting[MAX_SCHEDULERS + 1]; /* in each scheduler; the last: for ports of none */
	uint8_t scheduler_of_port[PIPELINE_MAX_PORTS];
	uint16_t pending[PIPELINE_MAX_PORTS];	     /* micro-operations that wait for the port */
	uint16_t pending_before[PIPELINE_MAX_PORTS]; /* when the cycle began */
	uint64_t used[PIPELINE_MAX_PORTS]; /* cycles taken so far: of ports that are free the least used is taken */
	uint64_t taken[PIPELINE_MAX_PORTS][N_WORDS]; /* a bit for each cycle of a port */
	port_set_t starts[N_CYCLES];		     /* the ports on which micro-operations leave their scheduler */
	struct sim_store stores[N_STORE_ENTRIES];

	uint64_t last_executed; /* when the latest instruction was */
	uint64_t completed;	/* all so far */
	uint64_t retire_cycle;
	uint32_t retired;		/* slots in it */
	uint32_t group[MAX_GROUP];	/* instructions that retire in the cycle */
	enum simulator_wait group_wait; /* of the first of them */
	uint32_t n_group;
	uint64_t group_cycle, previous_group_cycle;
	uint32_t mispredicted; /* the branch that the front end has waited for; NO_INSN */
};

/* simulate_lower.c */
uint32_t simulator_lower(struct simulator *simulator, const struct block *block, uint64_t va, enum sim_source source);

/* simulate_front.c: the cycle in which the instruction has been delivered. */
uint64_t front_deliver(struct simulator *simulator, const struct sim_block *block, const struct sim_insn *insn);
/* Code goes on at va: the cycle ends. */
void front_jump(struct simulator *simulator, uint64_t va);
/* The loop buffer goes on with the next copy of its loop: one jump is taken a cycle. */
void front_replay(struct simulator *simulator);
/* The front end has nothing before the cycle. */
void front_stall(struct simulator *simulator, uint64_t cycle);

/* Where a load's value comes from. */
struct sim_memory {
	uint64_t forwarded; /* the store's data are ready; UINT64_MAX: from the cache */
	uint64_t committed; /* the store has left for the cache */
	bool fails, is_renamed;
	uint32_t extra_cycles;
	uint32_t iterations; /* of REP */
};

/* simulate_ports.c: nothing more is issued before the cycle. */
void simulator_advance(struct simulator *simulator, uint64_t cycle);
/* Takes cycles of the ports, not before the given one; yields the first. */
uint64_t simulator_occupy(struct simulator *simulator, struct sim_use *use, uint64_t from);

/* simulate.c: */
/* Executes one instruction; yields when the data of its store are ready. */
uint64_t simulator_step(struct simulator *simulator, const struct sim_block *block, uint32_t insn,
			const struct sim_memory *memory, struct sim_times *times);

/* simulate_block.c: cycles per iteration. */
mcyc_t simulate_block(struct simulator *simulator, const struct block *block, enum pipeline_mode mode);

/* The first iterations, into times[n_iterations * n_insns]. */
void simulate_iterations(struct simulator *simulator, const struct block *block, enum pipeline_mode mode,
			 uint32_t n_iterations, struct sim_times *times);

#endif
