/* Simulates a block that repeats until the time of an iteration settles. */
#include "costmodels/estimators/pipeline/simulation/simulator_private.h"

#include <stdlib.h>

#include "base/array.h"

/* Number of latest iterations whose times of stores are kept for forwarding. It exceeds the iterations that
 * store_forwarding.c executes. */
#define N_KEPT 16

/* Empties the machine and removes all blocks. */
static void reset(struct simulator *simulator)
{
	simulator_drain(simulator);
	simulator->n_blocks = simulator->n_insns = simulator->n_charges = 0;
	simulator->n_reads = simulator->n_writes = simulator->n_uses = simulator->n_accesses = 0;
	simulator->n_group = 0;
	simulator->front = (struct sim_front){.cycle = simulator->retire_cycle,
					      .window = UINT64_MAX,
					      .window_cycle = simulator->retire_cycle};
	simulator->st_top = 0;
	simulator->stack_moved = false;
}

static enum sim_source source_of(const struct machine_parameters *parameters, const struct block *block,
				 enum pipeline_mode mode)
{
	if (mode == PIPELINE_LOOP && block_loop_buffer_copies(parameters, block))
		return SOURCE_LOOP_BUFFER;
	if (!parameters->predecode_bytes || (mode == PIPELINE_LOOP && block_fits_op_cache(parameters, block, 0)))
		return SOURCE_OP_CACHE;
	return SOURCE_DECODERS;
}

struct repeated {
	struct simulator *simulator;
	const struct sim_block *block;
	/* [N_KEPT][n_insns] cycles in which the data of each store are ready, and in which it commits. */
	uint64_t *stored, *committed;
	uint32_t copies;	      /* iterations that the loop buffer replays as one */
	bool jumps;		      /* each iteration ends with a taken jump */
	struct pipeline_times *times; /* [n_insns] written by iterate(), or NULL */
};

static void iterate(struct repeated *repeated, uint64_t iteration)
{
	struct simulator *simulator = repeated->simulator;
	uint32_t n_insns = repeated->block->n_insns;

	if (iteration % repeated->copies)
		front_end_replay(simulator);
	else if (repeated->jumps)
		front_end_jump(simulator, 0);
	for (uint32_t i = 0; i < n_insns; i++) {
		uint32_t number = repeated->block->first_insn + i;
		const struct sim_insn *insn = &simulator->insns[number];
		struct sim_load_source load_source = {.forwarded = UINT64_MAX, .committed = UINT64_MAX};
		uint64_t at;

		if (insn->forwarded_from != NO_INSN && insn->forwarded_distance <= iteration) {
			uint64_t from = (iteration - insn->forwarded_distance) % N_KEPT;

			load_source.forwarded = repeated->stored[from * n_insns + insn->forwarded_from];
			load_source.committed = repeated->committed[from * n_insns + insn->forwarded_from];
			load_source.fails = insn->forwarding_fails;
			load_source.is_renamed = insn->is_renamed;
		}
		at = iteration % N_KEPT * n_insns + i;
		repeated->stored[at] = simulator_step(simulator, repeated->block, number, &load_source,
						      repeated->times ? &repeated->times[i] : NULL);
		repeated->committed[at] = simulator->last_commit;
	}
}

/* The time of an iteration has settled when a period of iterations repeats: twice with the same machine state, or for
 * as many slots as the ROB has entries (at most STEADY_SLOTS_MAX). Without a period, the result is the mean of the
 * second half of the iterations. That half is a multiple of MAX_PERIOD iterations, because the alignment of the code
 * to fetch windows repeats after so many. */
#define MAX_PERIOD 16
#define STEADY_CYCLES 500    /* minimum of simulated cycles before the mean is taken */
#define STEADY_SLOTS_MAX 256 /* as exact on Zen 5 as the size of its ROB, 448, and a third faster */
#define MAX_ITERATIONS 4096

struct iterations {
	uint64_t ends[MAX_ITERATIONS + 1];   /* cycle at the end of each iteration; [0]: before the first */
	uint64_t states[MAX_ITERATIONS + 1]; /* hash of the machine's state */
	uint64_t n;
};

#define FETCH_WINDOW_BYTES 16 /* predecode_bytes of Intel's CPUs before Alder Lake; divides the 32 of later ones */

/* Hashes the distances in cycles between the stages, and the numbers of occupied entries. */
static uint64_t state_of(const struct simulator *simulator)
{
	const struct sim_front *front = &simulator->front;
	uint64_t state = simulator->retire_cycle - simulator->issue_cycle;

	/* Knuth's factor, as in text_index.c */
	state = state * 0x9e3779b97f4a7c15 + (simulator->issue_cycle - front->cycle);
	state = state * 0x9e3779b97f4a7c15 + (front->cycle - front->window_cycle);
	state = state * 0x9e3779b97f4a7c15 + (front->delivered << 16 | simulator->issued << 8 | simulator->retired);
	state = state * 0x9e3779b97f4a7c15 + front->position % FETCH_WINDOW_BYTES;
	for (size_t i = 0; i <= simulator->pipeline->n_schedulers; i++)
		state = state * 0x9e3779b97f4a7c15 + simulator->waiting[i];
	return state;
}

static bool took_as_long(const struct iterations *iterations, uint64_t n, uint64_t m)
{
	const uint64_t *ends = iterations->ends;

	return ends[n] - ends[n - 1] == ends[m] - ends[m - 1];
}

/* Counts how many of the latest iterations, up to a limit, took as long as the iteration p before them. If in_state
 * is true, the state of the machine at the end of both iterations must be equal, too. */
static uint64_t count_repeated(const struct iterations *iterations, uint32_t p, bool in_state, uint64_t limit)
{
	uint64_t n = 0;

	for (uint64_t i = iterations->n; n < limit && i > p && took_as_long(iterations, i, i - p); i--, n++)
		if (in_state && iterations->states[i] != iterations->states[i - p])
			break;
	return n;
}

/* Returns the period in iterations, or 0 if there is none yet. */
static uint32_t find_period(const struct iterations *iterations, uint64_t n_steady)
{
	for (uint32_t p = 1; p <= MAX_PERIOD; p++)
		if (count_repeated(iterations, p, true, 2 * p) == 2 * p)
			return p;
	for (uint32_t p = 1; p <= MAX_PERIOD; p++) {
		uint64_t wanted = n_steady > 3 * p ? n_steady : 3 * p, n = count_repeated(iterations, p, false, wanted);

		if (n >= 3 * p)
			return n == wanted ? p : 0;
	}
	return 0;
}

static mcyc_t mean_of(const struct iterations *iterations, uint64_t n)
{
	uint64_t cycles = iterations->ends[iterations->n] - iterations->ends[iterations->n - n];

	return (mcyc_t)((cycles * MCYC_PER_CYCLE + n / 2) / n);
}

/* Executes iterations until their time settles. */
static mcyc_t settle(struct repeated *repeated)
{
	struct simulator *simulator = repeated->simulator;
	uint64_t begin_slots = simulator->n_slots, begin_cycle = simulator->retire_cycle, n_slots;
	uint64_t window = simulator->parameters->rob < STEADY_SLOTS_MAX ? simulator->parameters->rob : STEADY_SLOTS_MAX;
	uint64_t check = 4; /* number of iterations at the next search for a period, which takes time itself */
	struct iterations iterations;

	iterations.n = 0;
	iterations.ends[0] = simulator->retire_cycle;
	do {
		uint64_t slots = simulator->n_slots;
		uint32_t period;

		iterate(repeated, iterations.n);
		iterations.ends[++iterations.n] = simulator->retire_cycle;
		iterations.states[iterations.n] = state_of(simulator);
		slots = simulator->n_slots - slots;
		if (iterations.n == check) {
			check += 4 + check / 8;
			period = find_period(&iterations, slots ? window / slots : MAX_PERIOD);
			if (period)
				return mean_of(&iterations, period);
		}
		n_slots = simulator->n_slots - begin_slots;
	} while (iterations.n < MAX_ITERATIONS &&
		 (iterations.n < 2 * MAX_PERIOD || simulator->retire_cycle - begin_cycle < STEADY_CYCLES ||
		  n_slots < window));
	return mean_of(&iterations, iterations.n / 2 / MAX_PERIOD * MAX_PERIOD);
}

static void repeated_init(struct repeated *repeated, struct simulator *simulator, const struct block *block,
			  enum pipeline_mode mode)
{
	enum sim_source source = source_of(simulator->parameters, block, mode);
	uint32_t number;

	reset(simulator);
	number = simulator_lower(simulator, block, 0, source);
	*repeated = (struct repeated){
		.simulator = simulator,
		.block = &simulator->blocks[number],
		.stored = xcalloc(2 * N_KEPT * block->n_insns, sizeof(*repeated->stored)),
		.copies = source == SOURCE_LOOP_BUFFER ? block_loop_buffer_copies(simulator->parameters, block) : 1,
		.jumps = mode == PIPELINE_LOOP || block->ends_with_branch,
	};
	repeated->committed = repeated->stored + N_KEPT * block->n_insns;
}

mcyc_t simulator_run_block(struct simulator *simulator, const struct block *block, enum pipeline_mode mode)
{
	struct repeated repeated;
	mcyc_t mcyc;

	repeated_init(&repeated, simulator, block, mode);
	mcyc = settle(&repeated);
	free(repeated.stored);
	return mcyc;
}

void simulator_run_iterations(struct simulator *simulator, const struct block *block, enum pipeline_mode mode,
			      uint32_t n_iterations, struct pipeline_times *times)
{
	struct repeated repeated;

	repeated_init(&repeated, simulator, block, mode);
	for (uint32_t i = 0; i < n_iterations; i++) {
		repeated.times = &times[i * block->n_insns];
		iterate(&repeated, i);
	}
	free(repeated.stored);
}
