/* One block that repeats, until what an iteration takes has settled. */
#include "costmodels/pipeline/simulate_private.h"

#include <stdlib.h>

#include "base/array.h"

/* What each load of an iteration takes its value from: the store of some iterations before. */
#define N_KEPT 16 /* iterations; above those that memory.c looks at */

static void begin(struct simulator *simulator)
{
	simulator_drain(simulator);
	simulator->n_blocks = simulator->n_insns = simulator->n_charges = 0;
	simulator->n_reads = simulator->n_writes = simulator->n_uses = simulator->n_accesses = 0;
	simulator->n_group = 0;
	simulator->front.window = UINT64_MAX;
	simulator->stack_moved = false;
}

static enum sim_source source_of(const struct machine_parameters *parameters, const struct block *block,
				 enum pipeline_mode mode)
{
	if (mode == PIPELINE_LOOP && frontend_loop_buffer(parameters, block) >= 0)
		return SOURCE_LOOP_BUFFER;
	if (!parameters->predecode_bytes || (mode == PIPELINE_LOOP && frontend_fits_op_cache(parameters, block, 0)))
		return SOURCE_OP_CACHE;
	return SOURCE_DECODERS;
}

struct repeated {
	struct simulator *simulator;
	const struct sim_block *block;
	uint64_t *stored; /* [N_KEPT][n_insns] */
};

static void iterate(struct repeated *repeated, uint64_t iteration)
{
	struct simulator *simulator = repeated->simulator;
	uint32_t n_insns = repeated->block->n_insns;

	for (uint32_t i = 0; i < n_insns; i++) {
		uint32_t number = repeated->block->first_insn + i;
		const struct sim_insn *insn = &simulator->insns[number];
		struct sim_memory memory = {.forwarded = UINT64_MAX, .committed = UINT64_MAX};

		if (insn->forwarded_from != NO_INSN && insn->forwarded_distance <= iteration) {
			uint64_t from = (iteration - insn->forwarded_distance) % N_KEPT;

			memory.forwarded = repeated->stored[from * n_insns + insn->forwarded_from];
			memory.fails = insn->forwarding_fails;
			memory.is_renamed = insn->is_renamed;
		}
		repeated->stored[iteration % N_KEPT * n_insns + i] = simulator_step(simulator, repeated->block, number,
										    &memory, NULL);
	}
}

/* Iterations that the loop buffer replays as one. */
static uint32_t copies_of(const struct simulator *simulator, const struct block *block, enum sim_source source)
{
	uint32_t uops = 0, copies;

	if (source != SOURCE_LOOP_BUFFER)
		return 1;
	for (size_t i = 0; i < block->n_insns; i++)
		uops += block->insns[i].decoded_uops;
	copies = simulator->parameters->loop_buffer / 2 / uops;
	return copies > 8 ? 8 : copies ? copies : 1;
}

/* Cycles and issue slots after which an iteration is taken to be steady, as the mean of the second half. */
#define STEADY_CYCLES 500
#define STEADY_WINDOWS 2 /* of the ROB */
#define MAX_ITERATIONS 4096

mcyc_t simulate_block(struct simulator *simulator, const struct block *block, enum pipeline_mode mode)
{
	enum sim_source source = source_of(simulator->parameters, block, mode);
	uint32_t copies = copies_of(simulator, block, source);
	uint64_t ends[MAX_ITERATIONS], begin_slots, begin_cycle;
	struct repeated repeated = {.simulator = simulator};
	uint64_t n = 0, half;
	uint32_t number;

	begin(simulator);
	number = simulator_lower(simulator, block, 0, source);
	repeated.block = &simulator->blocks[number];
	repeated.stored = xcalloc(N_KEPT * block->n_insns, sizeof(*repeated.stored));
	begin_slots = simulator->n_slots;
	begin_cycle = simulator->retire_cycle;
	do {
		if (n % copies)
			front_replay(simulator);
		else if (mode == PIPELINE_LOOP || block->ends_with_jump)
			front_jump(simulator, 0);
		iterate(&repeated, n);
		ends[n++] = simulator->retire_cycle;
	} while (n < MAX_ITERATIONS &&
		 (n < 8 || simulator->retire_cycle - begin_cycle < STEADY_CYCLES ||
		  simulator->n_slots - begin_slots < STEADY_WINDOWS * simulator->parameters->rob));
	free(repeated.stored);
	half = n / 2;
	return (mcyc_t)((ends[n - 1] - ends[half - 1]) * MCYC_PER_CYCLE / (n - half));
}
