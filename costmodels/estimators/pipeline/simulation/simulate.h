/* The cycles that a sequence of instructions takes on an out-of-order CPU, each instruction once, in program order.
 *
 * A simulator is fed blocks as they were executed and keeps the state of the machine between them: what the front end has
 * delivered, which cycles of which ports are taken, when each register will be ready, which entries of the buffers are
 * free. Every micro-operation is placed at once into the cycles in which it is delivered, issued, executed and retired; as
 * older ones come first, each takes the first cycle that none of them has taken, which is what a scheduler that prefers
 * the oldest does. What a later instruction does to an earlier one is not seen: nothing is replayed.
 *
 * What retirement waited for is charged to the instruction that it waited for, so that the cycles of all instructions add up
 * to those of the whole. A cycle in which several retire is shared by them.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATE_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_SIMULATION_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "costmodels/estimators/pipeline/result.h"

/* What an instruction waited for that retirement waited for. */
enum simulator_wait {
	WAIT_FRONT_END,	 /* its code: fetched, decoded, delivered */
	WAIT_MISPREDICT, /* its code, after a branch that was predicted wrongly */
	WAIT_ISSUE,	 /* a slot to issue in, or an entry of a buffer that was full */
	WAIT_PORT,	 /* a port, taken by others */
	WAIT_RESULT,	 /* the result of another instruction, or its own */
	WAIT_MEMORY,	 /* a load that takes longer than one from the L1 cache, for whatever reason */
	WAIT_RETIRE,	 /* nothing but its turn to retire */
	N_WAITS,
};

struct pipeline;
struct simulator;

/* Borrows the pipeline. */
struct simulator *simulator_create(struct pipeline *pipeline);
void simulator_destroy(struct simulator *simulator);

/* Makes a block known: instructions that follow one another from va on. Bytes that are no whole instructions give
 * ERROR_USAGE. Blocks are numbered from 0. */
bool simulator_add_block(struct simulator *simulator, const uint8_t *bytes, size_t n_bytes, uint64_t va,
			 uint32_t *block, struct error *err);

/* One execution of a block. Whether the branch before it was taken shows in its va. */
struct simulator_execution {
	/* [n_words] for each instruction: one word for each memory operand that is read or written, in the order of
	 * insn_operands.operands, the address of its first byte; then, of a REP string instruction, its iterations. NULL: not
	 * known; then no load takes from a store, and each REP has one iteration. */
	const uint64_t *words;
	/* [n_words] cycles that a load takes more than one from the L1 cache; NULL: none does. */
	const uint32_t *load_cycles;
	uint32_t fetch_cycles; /* for which the front end waits before the block: caches and TLBs of code */
	bool is_mispredicted;  /* the branch that ends the block */
};
/* execution may be NULL: all is zero. */
void simulator_execute(struct simulator *simulator, uint32_t block, const struct simulator_execution *execution);

/* The cycle in which the last instruction retired, from 0. */
uint64_t simulator_cycles(const struct simulator *simulator);

/* Forgets all that is under way: what comes next finds the machine empty and its registers ready. Cycles go on. */
void simulator_drain(struct simulator *simulator);

/* What was charged to one instruction so far. */
struct simulator_charge {
	mcyc_t waits_mcyc[N_WAITS];
};
struct simulator_insn {
	const char *form; /* borrowed from the pipeline */
	enum cost_match match;
	uint32_t issue_slots;
	uint32_t n_words;
};
size_t simulator_n_insns(const struct simulator *simulator, uint32_t block);
/* [simulator_n_insns]; good until the next simulator_add_block. Cycles of the very last group to retire may not be in it yet. */
const struct simulator_charge *simulator_charges(const struct simulator *simulator, uint32_t block);
struct simulator_insn simulator_insn(const struct simulator *simulator, uint32_t block, size_t insn);

#endif
