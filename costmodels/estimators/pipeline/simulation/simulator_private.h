/* Shared by the files of simulation/. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATOR_PRIVATE_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATOR_PRIVATE_H

#include "costmodels/estimators/pipeline/block/block.h"
#include "costmodels/estimators/pipeline/block/dependences.h"
#include "costmodels/estimators/pipeline/simulation/simulator.h"

/* Cycles that an instruction occupies ports of one set. */
struct sim_use {
	port_set_t ports;
	uint16_t cycles;	     /* each on any one port of the set */
	uint16_t fraction_mcyc;	     /* fraction of a cycle, accumulated over executions */
	uint16_t carried_mcyc;	     /* accumulated fraction, below one cycle */
	uint8_t n_scheduler_entries; /* entries that the use takes in a scheduler until it starts */
	enum pipeline_part part;     /* the part that occupies the ports */
	bool is_store_address;	     /* for PART_STORE: false means the data */
};

/* An accessed memory operand. */
struct sim_access {
	uint8_t address_index; /* index in simulator_execution.addresses, from the instruction's first entry */
	uint8_t bytes;
	bool is_read, is_written;
	uint8_t base, index; /* numbers of general registers, or NO_REGISTER */
	bool can_be_renamed; /* the CPU renames the load if an earlier store has the same registers and displacement */
};
#define NO_REGISTER UINT8_MAX

struct sim_read {
	uint8_t location, part;
	uint16_t weight; /* latency in cycles; PART_LOAD: without the load's latency */
};

/* A lowered instruction. Its reads, writes, uses and accesses are in the simulator's pools. */
struct sim_insn {
	uint32_t first_read, first_write, first_use, first_access;
	uint8_t n_reads, n_writes, n_uses, n_accesses, n_addresses;
	uint8_t base;			      /* location of the base register of its load, or NO_REGISTER */
	uint8_t load_latency, chased_latency; /* cycles; chased: if another load loaded the base */
	uint8_t forward_latency;
	uint8_t length, opcode_offset;
	uint16_t latency;
	uint16_t issue_slots, decoded_uops;
	uint8_t st_pushes, st_pops; /* x87 stack: pushes before the writes, pops after them */
	bool reads_memory, writes_memory;
	bool is_fused;	 /* the second instruction of a macro-fused pair */
	bool could_fuse; /* of a form that fuses with a jump, but not followed by such a jump */
	bool is_complex, has_lcp;
	bool uses_rsp;	  /* names RSP as an operand or in an address */
	bool reads_rsp;	  /* depends on the value of RSP */
	bool moves_stack; /* changes RSP implicitly, as PUSH does */
	bool is_pure_load;
	/* As in struct block_insn. Only for a repeating block. */
	uint32_t forwarded_from, forwarded_distance;
	bool forwarding_fails, is_renamed;
};

/* The unit that delivers the instructions of a block. */
enum sim_source { SOURCE_OP_CACHE, SOURCE_LOOP_BUFFER, SOURCE_DECODERS };

struct sim_block {
	uint64_t va;
	uint32_t n_bytes;
	uint32_t first_insn, n_insns;
	enum sim_source source;
};

/* A store that may forward to loads. Each 8-byte granule of its data has an entry in simulator.stores. */
struct sim_store {
	uint64_t va, ready, commit;
	uint32_t version; /* sum of simulator.versions of base and index at its execution */
	uint8_t bytes, base, index;
};

#define N_STORE_ENTRIES \
	4096 /* a power of two, far larger than any store buffer, so that granules rarely share an entry */

/* Cycles after issue_cycle for which the occupied ports are recorded. Later cycles count as free. A power of two. */
#define N_CYCLES 8192
#define WORD_CYCLES 64
#define N_WORDS (N_CYCLES / WORD_CYCLES)

#define MAX_GROUP 32	/* instructions that retire in one cycle, with both of a macro-fused pair */
#define MAX_WINDOW 1024 /* entries of the rings below: a power of two above the size of any ROB */

struct sim_front {
	uint64_t cycle;	    /* the current cycle of the unit that delivers the block */
	uint32_t delivered; /* micro-operations delivered in `cycle`; for SOURCE_DECODERS: decoders used */
	uint64_t window; /* current window of the predecoder or fetch block of the op cache: its address / its size */
	uint64_t window_cycle;	/* the latest cycle that the predecoder spent on the window */
	uint32_t window_insns;	/* instructions predecoded in window_cycle */
	uint32_t window_cycles; /* cycles that the predecoder spent on the window */
	uint32_t window_before; /* cycles that the predecoder spent on the previous window */
	/* Address of the next instruction. The iterations of a block that ends without a jump follow one another. */
	uint64_t position;
	/* Decode cycles of the latest instructions, which free entries of the instruction queue. */
	uint64_t decoded[64];
	uint64_t n_decoded;
	uint64_t last_jump; /* cycle in which the latest taken jump was delivered */
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
	uint64_t previous_end; /* address after the latest block */

	uint64_t ready[N_LOCATIONS];	   /* cycle in which the value is usable */
	bool from_load[N_LOCATIONS];	   /* a load without an operation wrote the value */
	uint32_t versions[INSN_N_GENERAL]; /* writes of each general register so far */
	uint32_t st_top;		   /* top of the x87 stack, modulo 8 */
	bool stack_moved;		   /* RSP changed implicitly since its last explicit use */

	uint64_t issue_cycle;
	uint32_t issued; /* slots used in issue_cycle */
	/* Numbers of issue slots, loads and stores so far. Modulo MAX_WINDOW they index the rings. */
	uint64_t n_slots, n_loads, n_stores;
	uint64_t slot_issued[MAX_WINDOW], slot_retired[MAX_WINDOW];
	uint64_t load_retired[MAX_WINDOW], store_committed[MAX_WINDOW];
	uint64_t last_commit;
	/* [pipeline->n_schedulers + 1] occupied entries; the last is for ports without a scheduler */
	uint32_t waiting[MAX_SCHEDULERS + 1];
	uint8_t scheduler_of_port[PIPELINE_MAX_PORTS];
	uint16_t pending[PIPELINE_MAX_PORTS];	     /* scheduler entries that wait for the port */
	uint16_t pending_before[PIPELINE_MAX_PORTS]; /* the same at the start of issue_cycle */
	uint64_t used[PIPELINE_MAX_PORTS];	     /* cycles that the port was occupied so far */
	uint64_t taken[PIPELINE_MAX_PORTS][N_WORDS]; /* bit of a cycle: the port is occupied */
	port_set_t starts[N_CYCLES]; /* by cycle: ports on which a scheduler entry starts, which frees the entry */
	struct sim_store stores[N_STORE_ENTRIES]; /* by granule */

	uint64_t last_executed; /* cycle in which the latest instruction in program order began to execute */
	uint64_t completed;	/* cycle in which all instructions so far have completed */
	uint64_t retire_cycle;
	uint32_t retired;	      /* slots that retired in retire_cycle */
	uint32_t group[MAX_GROUP];    /* instructions that retire in group_cycle */
	enum stall_cause group_stall; /* of the group's first instruction */
	uint32_t n_group;
	uint64_t group_cycle, previous_group_cycle;
	uint32_t mispredicted; /* latest mispredicted branch, if its stall is not charged yet, or NO_INSN */
};

/* lowering.c */
uint32_t simulator_lower(struct simulator *simulator, const struct block *block, uint64_t va, enum sim_source source);

/* front_end.c */
/* Returns the cycle in which the instruction is delivered. */
uint64_t front_end_deliver(struct simulator *simulator, const struct sim_block *block, const struct sim_insn *insn);
/* Continues at va after a taken jump. The next instruction is delivered in a later cycle than the jump. */
void front_end_jump(struct simulator *simulator, uint64_t va);
/* Continues with the next iteration in the loop buffer, which delivers at most one taken jump per cycle. */
void front_end_replay(struct simulator *simulator);
/* Stalls the front end until `cycle`. */
void front_end_stall(struct simulator *simulator, uint64_t cycle);

/* The source of a load's value, and the latency that it adds. */
struct sim_load_source {
	uint64_t forwarded; /* cycle in which the store's data are ready; UINT64_MAX: the value comes from the cache */
	uint64_t committed; /* cycle in which the store commits to the cache */
	/* The store cannot forward: it covers a part of the load, or writes through another virtual page. */
	bool fails;
	bool is_renamed;       /* the CPU renames the load to the store's data */
	uint32_t extra_cycles; /* beyond the latency of an L1 hit */
};

/* ports.c: advances issue_cycle to `cycle`. */
void simulator_advance(struct simulator *simulator, uint64_t cycle);
/* Occupies the ports of a use. Each cycle is the first at or after `from` in which a port is free. Returns the
 * earliest of them. */
uint64_t simulator_occupy(struct simulator *simulator, struct sim_use *use, uint64_t from);

/* simulator.c */
/* Executes one instruction. Returns the cycle in which the data of its store are ready. */
uint64_t simulator_step(struct simulator *simulator, const struct sim_block *block, uint32_t insn,
			const struct sim_load_source *load_source, struct pipeline_times *times);

/* steady_state.c: repeats the block until the time of an iteration settles. Returns milli-cycles per iteration. */
mcyc_t simulator_run_block(struct simulator *simulator, const struct block *block, enum pipeline_mode mode);

/* Simulates the first iterations. Writes times[n_iterations][n_insns], in cycles since the simulator was created. */
void simulator_run_iterations(struct simulator *simulator, const struct block *block, enum pipeline_mode mode,
			      uint32_t n_iterations, struct pipeline_times *times);

#endif
