#include "costmodels/estimators/pipeline/region/region.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "costmodels/estimators/pipeline/machine.h"
#include "costmodels/estimators/pipeline/region/region_private.h"

enum {
	BUDGET_INSNS = 16 << 20,     /* instructions simulated for one region; takes some seconds at most */
	PAIR_SHARE_DIVISOR = 100000, /* pairs with at least 1/PAIR_SHARE_DIVISOR of all executions are simulated */
	/* Instructions of a window of iterations. The time of a window is compared with that of the previous one. */
	LOOP_WINDOW_INSNS = 256,
	LOOP_WINDOWS_MAX = 16,	  /* windows after which the loop counts as settled */
	LOOP_ITERATIONS_MIN = 16, /* iterations of a window in addition to LOOP_WINDOW_INSNS */
	REPETITIONS_MIN = 8,	  /* repetitions of a pair with mispredictions or misses that vary */
	REPETITIONS = 1024,	  /* further repetitions of such pairs, divided among them by weight */
};

static uint64_t weight(const struct region_simulation *simulation, const struct path_pair *pair)
{
	return pair->own_count * simulation->profile->paths[pair->to].n_insns;
}

/* Pairs of equal weight are ordered by their paths, so that the order is the same in every run. */
static int compare_pairs(const void *left, const void *right, void *simulation)
{
	const struct path_pair *a = left, *b = right;
	uint64_t a_weight = weight(simulation, a), b_weight = weight(simulation, b);

	return ORDER(b_weight, a_weight) ?: ORDER(a->to, b->to) ?: ORDER(a->from, b->from);
}

static void sort_pairs(struct region_simulation *simulation)
{
	simulation->n_pairs = simulation->region->pairs.n_rows;
	simulation->pairs = xcalloc(simulation->n_pairs, sizeof(*simulation->pairs));
	for (size_t i = 0; i < simulation->n_pairs; i++) {
		const struct profile_transition *pair = &simulation->region->pairs.rows[i];

		simulation->pairs[i] = (struct path_pair){pair->from, pair->to, pair->count, pair->count, 1};
	}
	qsort_r(simulation->pairs, simulation->n_pairs, sizeof(*simulation->pairs), compare_pairs, simulation);
}

static bool varies(const struct region_simulation *simulation, uint32_t index)
{
	const struct profile_path *path = &simulation->profile->paths[index];
	bool found = false;

	for (uint32_t i = 0; i < path->n_insns && !found; i++)
		found = replay_has_frequent_event(&simulation->replay,
						  simulation->profile->path_insns[path->first_insn + i]);
	return found;
}

static bool affords(struct region_simulation *simulation, struct path_pair *pair)
{
	uint64_t insns = simulation->context_insns + simulation->profile->paths[pair->to].n_insns;
	uint64_t own = weight(simulation, pair);
	double share = own < simulation->n_executions ? (double)own / (double)simulation->n_executions : 1;

	if (varies(simulation, pair->to) || (pair->from != PROFILE_NONE && varies(simulation, pair->from)))
		pair->repetitions = REPETITIONS_MIN + (uint32_t)(share * REPETITIONS);
	insns *= pair->repetitions;
	if (simulation->budget_insns < insns)
		return false;
	simulation->budget_insns -= insns;
	return true;
}

/* Chooses the pairs to simulate: frequent ones, and at least one for each second path. Each other pair adds its count
 * to the first simulated pair with the same second path. A pair keeps its count if the budget leaves no such pair. */
static void choose_pairs(struct region_simulation *simulation)
{
	uint64_t least = simulation->n_executions / PAIR_SHARE_DIVISOR;

	for (size_t i = 0; i < simulation->profile->n_paths; i++)
		simulation->pair_of_path[i] = UINT32_MAX;
	for (size_t i = 0; i < simulation->n_pairs; i++) {
		struct path_pair *pair = &simulation->pairs[i];
		uint32_t *first = &simulation->pair_of_path[pair->to];

		if ((*first == UINT32_MAX || weight(simulation, pair) >= least) && affords(simulation, pair)) {
			if (*first == UINT32_MAX)
				*first = (uint32_t)i;
		} else if (*first != UINT32_MAX) {
			simulation->pairs[*first].count += pair->count;
			pair->count = 0;
		} else {
			simulation->budget_insns = 0; /* all remaining pairs weigh less */
		}
	}
}

static uint32_t head_of(const struct profile *profile, uint32_t path)
{
	return path == PROFILE_NONE ? PROFILE_NONE : profile->path_insns[profile->paths[path].first_insn];
}

/* Adds a pair to its loop. Pairs are sorted by weight, so a loop's first pair has its most expensive path. */
static void add_to_loop(struct region_simulation *simulation, const struct path_pair *pair,
			const mcyc_t sums_mcyc[N_STALLS])
{
	struct region_cycles *cycles = simulation->cycles;
	uint32_t head = head_of(simulation->profile, pair->to), *loop_of = &simulation->loop_of[head];
	struct region_loop *loop;

	if (*loop_of == UINT32_MAX) {
		*ARRAY_ADD(cycles, loops) = (struct region_loop){.head = head, .path = pair->to};
		*loop_of = (uint32_t)cycles->n_loops - 1;
	}
	loop = &cycles->loops[*loop_of];
	loop->iterations += pair->count;
	loop->executions += pair->count * simulation->profile->paths[pair->to].n_insns;
	for (int i = 0; i < N_STALLS; i++)
		loop->stalls_mcyc[i] += sums_mcyc[i];
}

/* Executes iterations of a loop until the time of a window settles. Returns the iterations of one window: those since
 * the latest snapshot. */
static uint64_t execute_loop(struct region_simulation *simulation, size_t n_context, uint32_t path)
{
	uint64_t iterations = LOOP_WINDOW_INSNS / simulation->profile->paths[path].n_insns + LOOP_ITERATIONS_MIN,
		 before = UINT64_MAX;

	for (int window = 0; window < LOOP_WINDOWS_MAX; window++) {
		uint64_t begin = simulator_cycles(simulation->replay.simulator), now;

		region_take_snapshot(simulation, n_context, path);
		for (uint64_t i = 0; i < iterations; i++)
			replay_execute(&simulation->replay, path, REPLAY_NO_BLOCK);
		now = simulator_cycles(simulation->replay.simulator) - begin;
		if (now + 1 >= before && before + 1 >= now)
			break;
		before = now;
	}
	return iterations;
}

/* Enters a loop from another path. Then takes a snapshot and executes as many repetitions as follow an entry on
 * average. Returns their number. */
static uint64_t execute_short_loop(struct region_simulation *simulation, uint32_t path)
{
	size_t n_context = region_execute_context(simulation, simulation->entered_from[path]);

	replay_execute(&simulation->replay, path, REPLAY_NO_BLOCK);
	region_take_snapshot(simulation, n_context, path);
	for (uint32_t i = 0; i < simulation->iterations[path]; i++)
		replay_execute(&simulation->replay, path, REPLAY_NO_BLOCK);
	return simulation->iterations[path];
}

/* Executes the pair after its context. Returns the executions of its second path since the latest snapshot. */
static uint64_t execute_pair(struct region_simulation *simulation, const struct path_pair *pair)
{
	bool is_loop = pair->from == pair->to;
	size_t n_context;

	if (is_loop && region_is_short_loop(simulation, pair->to))
		return execute_short_loop(simulation, pair->to);
	n_context = region_execute_context(simulation, pair->from);
	if (is_loop)
		return execute_loop(simulation, n_context, pair->to);
	region_take_snapshot(simulation, n_context, pair->to);
	replay_execute(&simulation->replay, pair->to, REPLAY_NO_BLOCK);
	return 1;
}

static void simulate_pair(struct region_simulation *simulation, const struct path_pair *pair)
{
	mcyc_t sums_mcyc[N_STALLS] = {0};

	for (uint32_t i = 0; i < pair->repetitions; i++)
		region_charge(simulation, pair->count, execute_pair(simulation, pair) * pair->repetitions, sums_mcyc);
	if (head_of(simulation->profile, pair->from) == head_of(simulation->profile, pair->to))
		add_to_loop(simulation, pair, sums_mcyc);
}

/* Charges a pair that is not simulated. Each instruction costs the mean. */
static void charge_mean(struct region_simulation *simulation, const struct path_pair *pair, mcyc_t mean_mcyc)
{
	const struct profile_path *path = &simulation->profile->paths[pair->to];

	for (uint32_t i = 0; i < path->n_insns; i++)
		region_charge_insn(simulation, simulation->profile->path_insns[path->first_insn + i], STALL_RETIRE,
				   region_scale_mcyc(mean_mcyc, pair->count, 1));
}

/* Simulates the chosen pairs, then charges all other paths with the mean of these pairs. */
static void simulate_pairs(struct region_simulation *simulation)
{
	struct region_cycles *cycles = simulation->cycles;
	uint64_t n_known;
	mcyc_t mean_mcyc = MCYC_PER_CYCLE;

	for (size_t i = 0; i < simulation->n_pairs; i++) {
		const struct path_pair *pair = &simulation->pairs[i];
		uint32_t n_insns = simulation->profile->paths[pair->to].n_insns;

		if (!pair->count || simulation->pair_of_path[pair->to] == UINT32_MAX)
			continue;
		simulate_pair(simulation, pair);
		cycles->n_simulated += pair->own_count * n_insns;
		cycles->n_other_context += (pair->count - pair->own_count) * n_insns;
	}
	n_known = cycles->n_simulated + cycles->n_other_context;
	if (n_known)
		mean_mcyc = (mcyc_t)((uint64_t)region_sum_stalls(cycles->stalls_mcyc) / n_known);
	for (size_t i = 0; i < simulation->n_pairs; i++) {
		const struct path_pair *pair = &simulation->pairs[i];

		if (!pair->count || simulation->pair_of_path[pair->to] != UINT32_MAX)
			continue;
		charge_mean(simulation, pair, mean_mcyc);
		cycles->n_averaged += pair->count * simulation->profile->paths[pair->to].n_insns;
	}
}

static int compare_loops(const void *left, const void *right)
{
	const struct region_loop *a = left, *b = right;
	mcyc_t a_mcyc = region_sum_stalls(a->stalls_mcyc), b_mcyc = region_sum_stalls(b->stalls_mcyc);

	return ORDER(b_mcyc, a_mcyc) ?: ORDER(a->head, b->head);
}

static void simulation_init(struct region_simulation *simulation, struct pipeline *pipeline,
			    const struct profile *profile, uint32_t region, struct region_cycles *cycles)
{
	size_t n_paths = profile->n_paths;

	*simulation = (struct region_simulation){.profile = profile,
						 .region = &profile->regions[region],
						 .cycles = cycles,
						 .n_executions = profile_region_executions(&profile->regions[region]),
						 .context_insns = REGION_CONTEXT_INSNS,
						 .budget_insns = BUDGET_INSNS};
	if (pipeline->parameters.rob > REGION_CONTEXT_INSNS)
		simulation->context_insns = pipeline->parameters.rob;
	replay_init(&simulation->replay, profile, pipeline);
	region_prepare_misses(simulation, pipeline);
	region_prepare_mispredictions(simulation);
	simulation->before = xcalloc(n_paths, sizeof(*simulation->before));
	simulation->after = xcalloc(n_paths, sizeof(*simulation->after));
	simulation->entered_from = xcalloc(n_paths, sizeof(*simulation->entered_from));
	simulation->iterations = xcalloc(n_paths, sizeof(*simulation->iterations));
	simulation->pair_of_path = xcalloc(n_paths, sizeof(*simulation->pair_of_path));
	simulation->loop_of = xcalloc(profile->n_insns, sizeof(*simulation->loop_of));
	memset(simulation->loop_of, 0xff, profile->n_insns * sizeof(*simulation->loop_of));
	simulation->context = xcalloc(REGION_CONTEXT_PATHS, sizeof(*simulation->context));
}

static void simulation_deinit(struct region_simulation *simulation)
{
	replay_deinit(&simulation->replay);
	free(simulation->before);
	free(simulation->after);
	free(simulation->entered_from);
	free(simulation->iterations);
	free(simulation->pair_of_path);
	free(simulation->loop_of);
	free(simulation->context);
	free(simulation->pairs);
	free(simulation->snapshot.blocks);
	free(simulation->snapshot.stalls_mcyc);
	free(simulation->snapshot.stamps);
}

void region_cycles_init(struct region_cycles *cycles, struct pipeline *pipeline, const struct profile *profile,
			uint32_t region)
{
	struct region_simulation simulation;

	*cycles = (struct region_cycles){.n_insns = profile->regions[region].n_counts};
	cycles->insn_mcyc = xcalloc(cycles->n_insns, sizeof(*cycles->insn_mcyc));
	simulation_init(&simulation, pipeline, profile, region, cycles);
	region_find_neighbours(&simulation);
	sort_pairs(&simulation);
	choose_pairs(&simulation);
	simulate_pairs(&simulation);
	region_charge_mispredicts(&simulation);
	region_charge_misses(&simulation);
	if (cycles->n_loops)
		qsort(cycles->loops, cycles->n_loops, sizeof(*cycles->loops), compare_loops);
	simulation_deinit(&simulation);
}

void region_cycles_deinit(struct region_cycles *cycles)
{
	free(cycles->insn_mcyc);
	free(cycles->loops);
	*cycles = (struct region_cycles){0};
}
