#include "costmodels/estimators/pipeline/region/region_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool region_is_short_loop(const struct region_simulation *simulation, uint32_t path)
{
	return simulation->entered_from[path] != PROFILE_NONE && simulation->iterations[path] &&
	       (uint64_t)simulation->iterations[path] * simulation->profile->paths[path].n_insns <
		       simulation->context_insns;
}

/* Makes `path` the neighbour of `at` if its count is the highest so far. */
static void offer(uint32_t *neighbours, uint64_t *highest, uint32_t at, uint32_t path, uint64_t count)
{
	if (count <= highest[at])
		return;
	highest[at] = count;
	neighbours[at] = path;
}

void region_find_neighbours(struct region_simulation *simulation)
{
	size_t n = simulation->profile->n_paths;
	uint64_t *highest = xcalloc(5 * n, sizeof(*highest));
	uint64_t *entered = highest + 3 * n, *repeated = highest + 4 * n;

	for (size_t i = 0; i < n; i++)
		simulation->before[i] = simulation->after[i] = simulation->entered_from[i] = PROFILE_NONE;
	for (size_t i = 0; i < simulation->region->pairs.n_rows; i++) {
		const struct profile_transition *pair = &simulation->region->pairs.rows[i];
		bool is_loop = pair->from == pair->to;

		*(is_loop ? &repeated[pair->to] : &entered[pair->to]) += pair->count;
		if (pair->from == PROFILE_NONE)
			continue;
		offer(simulation->before, highest, pair->to, pair->from, pair->count);
		offer(simulation->after, highest + n, pair->from, pair->to, pair->count);
		if (!is_loop)
			offer(simulation->entered_from, highest + 2 * n, pair->to, pair->from, pair->count);
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t iterations = entered[i] ? (repeated[i] + entered[i] / 2) / entered[i] : repeated[i];

		simulation->iterations[i] = iterations < UINT32_MAX ? (uint32_t)iterations : UINT32_MAX;
	}
	free(highest);
}

/* Finds the most frequent paths before a pair's second one, oldest first, until they fill the machine. Returns their
 * number. */
static size_t find_context(struct region_simulation *simulation, uint32_t from)
{
	uint64_t n_insns = 0;
	uint32_t repeated = 0;
	size_t first = REGION_CONTEXT_PATHS, n;

	for (uint32_t path = from; path != PROFILE_NONE && first > 0;) {
		uint32_t before = simulation->before[path];

		simulation->context[--first] = path;
		n_insns += simulation->profile->paths[path].n_insns;
		if (n_insns >= simulation->context_insns)
			break;
		if (before == path && repeated >= simulation->iterations[path])
			before = simulation->entered_from[path];
		repeated = before == path ? repeated + 1 : 0;
		path = before;
	}
	n = REGION_CONTEXT_PATHS - first;
	memmove(simulation->context, simulation->context + first, n * sizeof(*simulation->context));
	return n;
}

size_t region_execute_context(struct region_simulation *simulation, uint32_t from)
{
	size_t n_context = find_context(simulation, from);

	replay_restart(&simulation->replay);
	for (size_t i = 0; i < n_context; i++)
		replay_execute(&simulation->replay, simulation->context[i], REPLAY_NO_BLOCK);
	return n_context;
}

uint64_t region_measure_pair(struct region_simulation *simulation, const struct path_pair *pair, uint32_t mispredicted,
			     uint32_t delayed_insn, uint32_t delay_cycles)
{
	uint64_t begin, n_insns = 0;

	replay_repeat_events(&simulation->replay);
	region_execute_context(simulation, pair->from);
	begin = simulator_cycles(simulation->replay.simulator);
	simulation->replay.delayed_insn = delayed_insn;
	simulation->replay.delay_cycles = delay_cycles;
	replay_execute(&simulation->replay, pair->to, mispredicted);
	simulation->replay.delayed_insn = PROFILE_NONE;
	for (uint32_t path = simulation->after[pair->to]; path != PROFILE_NONE && n_insns < simulation->context_insns;
	     path = simulation->after[path]) {
		replay_execute(&simulation->replay, path, REPLAY_NO_BLOCK);
		n_insns += simulation->profile->paths[path].n_insns;
	}
	return simulator_cycles(simulation->replay.simulator) - begin;
}
