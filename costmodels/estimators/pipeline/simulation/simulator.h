/* Simulates a sequence of instructions on an out-of-order CPU, each instruction once, in program order.
 *
 * The simulator executes blocks. The state of the machine stays between them: the cycles in which ports are occupied,
 * the time at which each register is ready, and the free entries of buffers. Each micro-operation gets its cycles of
 * delivery, issue, execution and retirement at once. It takes the first cycles that older micro-operations left free,
 * as in a scheduler that selects the oldest first. Younger instructions never delay older ones.
 *
 * The cycles since the previous retirement are charged to the instruction that retires next, or to the mispredicted
 * branch that delayed its delivery. Instructions that retire in one cycle share the charge of that cycle. The charges
 * add up to the total.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATOR_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "costmodels/estimators/pipeline/result.h"

/* Causes of the cycles that are charged to an instruction. */
enum stall_cause {
	STALL_FRONT_END,  /* fetch, decode or delivery of the instruction */
	STALL_MISPREDICT, /* refill of the front end after this branch was mispredicted; charged to the branch */
	STALL_ISSUE,	  /* an issue slot, or an entry of a full buffer */
	STALL_PORT,	  /* a busy port */
	STALL_RESULT,	  /* the result of the instruction itself or of another one */
	STALL_MEMORY,	  /* a load slower than one from the L1 cache */
	STALL_RETIRE,	  /* the number of instructions that retire per cycle */
	N_STALLS,
};

struct pipeline;
struct simulator;

/* Borrows the pipeline. */
struct simulator *simulator_create(struct pipeline *pipeline);
void simulator_destroy(struct simulator *simulator);

/* Adds a block of consecutive instructions at va. Bytes that are not whole instructions give ERROR_USAGE. Blocks are
 * numbered from 0. */
bool simulator_add_block(struct simulator *simulator, const uint8_t *bytes, size_t n_bytes, uint64_t va,
			 uint32_t *block, struct error *err);

/* One execution of a block. Unless the block begins where the previous block ended, the simulator assumes that a
 * taken branch led to it. */
struct simulator_execution {
	/* One array for the whole block: for each instruction in turn, the address of each accessed memory operand,
	 * in the order of insn_operands.operands. After those of a REP string instruction the array has one entry
	 * that is not used. NULL: the addresses are unknown, and no store forwards to a load. */
	const uint64_t *addresses;
	/* Extra latency of the load at each entry of addresses, beyond that of an L1 hit. NULL: all loads hit. */
	const uint32_t *load_cycles;
	uint32_t fetch_cycles; /* front-end stall before the block, for misses in instruction caches and TLBs */
	bool is_mispredicted;  /* the branch at the end of the block is mispredicted */
};
/* NULL stands for an execution without addresses and stalls. */
void simulator_execute(struct simulator *simulator, uint32_t block, const struct simulator_execution *execution);

/* Returns the cycle in which the latest instruction retired. The first cycle is 0. */
uint64_t simulator_cycles(const struct simulator *simulator);

/* Lets all instructions retire before the next one is delivered, as a serializing instruction does. The cycle count
 * continues. */
void simulator_drain(struct simulator *simulator);

/* Cycles charged to one instruction so far. */
struct simulator_charge {
	mcyc_t stalls_mcyc[N_STALLS];
};
size_t simulator_n_insns(const struct simulator *simulator, uint32_t block);
/* Returns an array of simulator_n_insns charges, valid until the next simulator_add_block. The charges may lack the
 * cycles of the instructions that retired last. */
const struct simulator_charge *simulator_charges(const struct simulator *simulator, uint32_t block);

#endif
