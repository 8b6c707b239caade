/* Simulates a sequence of instructions on an out-of-order CPU, each instruction once, in program order.
 *
 * The simulator executes blocks and keeps the state of the machine between them: the front end's progress, occupied
 * cycles of ports, the time at which each register is ready, and free entries of buffers. Each micro-operation is
 * assigned its cycles of delivery, issue, execution and retirement at once. It takes the first cycles that older
 * ones left free, as a scheduler does that prefers the oldest. Later instructions never delay earlier ones; nothing
 * is replayed.
 *
 * A stall of retirement is charged to the instruction that retirement waits for, so that charges add up to the
 * total. Instructions that retire in one cycle share it.
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
	STALL_MISPREDICT, /* its code, after a mispredicted branch */
	STALL_ISSUE,	  /* an issue slot, or an entry of a full buffer */
	STALL_PORT,	  /* a busy port */
	STALL_RESULT,	  /* a result, of another instruction or its own */
	STALL_MEMORY,	  /* a load slower than one from the L1 cache */
	STALL_RETIRE,	  /* its turn to retire */
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

/* One execution of a block. The va of the block tells whether the branch before it was taken. */
struct simulator_execution {
	/* [n_addresses] For each instruction: the address of each accessed memory operand, in the order of
	 * insn_operands.operands, then the iterations of a REP string instruction. NULL: unknown; no load is
	 * forwarded and each REP has one iteration. */
	const uint64_t *addresses;
	/* [n_addresses] extra cycles of a load compared with an L1 hit; NULL: none. */
	const uint32_t *load_cycles;
	uint32_t fetch_cycles; /* front-end stall before the block: code caches and TLBs */
	bool is_mispredicted;  /* of the branch at the end of the block */
};
/* execution may be NULL, meaning all zero. */
void simulator_execute(struct simulator *simulator, uint32_t block, const struct simulator_execution *execution);

/* Returns the cycle in which the last instruction retired, from 0. */
uint64_t simulator_cycles(const struct simulator *simulator);

/* Empties the machine and makes all registers ready. Cycles keep counting. */
void simulator_drain(struct simulator *simulator);

/* Stalls charged to one instruction so far. */
struct simulator_charge {
	mcyc_t stalls_mcyc[N_STALLS];
};
size_t simulator_n_insns(const struct simulator *simulator, uint32_t block);
/* [simulator_n_insns] valid until the next simulator_add_block. May lack the cycles of the last group to retire. */
const struct simulator_charge *simulator_charges(const struct simulator *simulator, uint32_t block);

#endif
