/* Simulates a sequence of instructions on an out-of-order CPU, each instruction once, in program order.
 *
 * The simulator executes blocks and keeps the state of the machine between them: the front end's progress, occupied
 * cycles of ports, the time at which each register is ready, and free entries of buffers. Each micro-operation is
 * assigned its cycles of delivery, issue, execution and retirement at once. It takes the first cycles that older
 * micro-operations left free, as in a scheduler that selects the oldest first. Later instructions never delay earlier
 * ones.
 *
 * A stall of retirement is charged to the instruction that retirement waits for. Instructions that retire in one cycle
 * share the charge of that cycle. Charges therefore add up to the total.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATOR_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "costmodels/estimators/pipeline/result.h"

/* Why retirement of an instruction stalled. */
enum stall_cause {
	STALL_FRONT_END,  /* fetch, decode or delivery of its code */
	STALL_MISPREDICT, /* delivery of its code after a mispredicted branch */
	STALL_ISSUE,	  /* an issue slot, or an entry of a full buffer */
	STALL_PORT,	  /* a busy port */
	STALL_RESULT,	  /* its own result, or that of another instruction */
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

/* One execution of a block. A branch was taken before the block unless it follows the previous block in memory. */
struct simulator_execution {
	/* For each instruction: the address of each accessed memory operand, in the order of insn_operands.operands.
	 * For a REP string instruction an unused entry follows. NULL: unknown; no store forwards to a load. */
	const uint64_t *addresses;
	/* For each entry of addresses: extra cycles of the load compared with an L1 hit. NULL: all hit. */
	const uint32_t *load_cycles;
	uint32_t fetch_cycles; /* front-end stall before the block: code caches and TLBs */
	bool is_mispredicted;  /* the branch at the end of the block */
};
/* `execution` may be NULL: all zero. */
void simulator_execute(struct simulator *simulator, uint32_t block, const struct simulator_execution *execution);

/* Returns the cycle in which the last instruction retired, from 0. */
uint64_t simulator_cycles(const struct simulator *simulator);

/* Continues when all instructions have retired. Cycles keep counting. */
void simulator_drain(struct simulator *simulator);

/* Stalls charged to one instruction so far. */
struct simulator_charge {
	mcyc_t stalls_mcyc[N_STALLS];
};
size_t simulator_n_insns(const struct simulator *simulator, uint32_t block);
/* Returns an array of simulator_n_insns charges, valid until the next simulator_add_block. They may lack the cycles of
 * the instructions that retired last. */
const struct simulator_charge *simulator_charges(const struct simulator *simulator, uint32_t block);

#endif
