/* Rare events of instructions: mispredictions and cache misses. Each event is simulated once, in the pair in which the
 * instruction executes most, and its cost is multiplied by its count. */
#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"
#include "costmodels/estimators/pipeline/region/region_private.h"

/* Limit of simulated events. Each other event costs the mean of the simulated ones. */
enum { EVENTS_MAX = 1 << 11 };

struct event {
	uint32_t insn;
	uint32_t delay_cycles; /* extra latency of its load; 0: a misprediction */
	uint64_t count;
};

struct events {
	struct event *events;
	size_t n_events, events_capacity;
};

/* The pair in which an instruction executes most. */
struct occurrence {
	uint32_t pair;	/* UINT32_MAX: in no simulated pair */
	uint32_t place; /* index of its block in the pair's second path */
};

static int compare_events(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	return ORDER(b->count, a->count) ?: ORDER(a->insn, b->insn) ?: ORDER(a->delay_cycles, b->delay_cycles);
}

static void find_in_path(struct region_simulation *simulation, uint32_t pair, struct occurrence *occurrences)
{
	uint32_t n_blocks;
	const uint32_t *blocks = replay_blocks(&simulation->replay, simulation->pairs[pair].to, &n_blocks);

	for (uint32_t i = 0; i < n_blocks; i++) {
		const struct replay_block *block = &simulation->replay.blocks[blocks[i]];

		for (uint32_t k = 0; k < block->n_insns; k++) {
			struct occurrence *occurrence = &occurrences[simulation->replay.insns[block->first_insn + k]];

			if (occurrence->pair == UINT32_MAX)
				*occurrence = (struct occurrence){pair, i};
		}
	}
}

/* The first pair with an instruction is the most frequent one, because pairs are sorted by weight. */
static struct occurrence *find_occurrences(struct region_simulation *simulation)
{
	struct occurrence *occurrences = xcalloc(simulation->profile->n_insns, sizeof(*occurrences));

	for (size_t i = 0; i < simulation->profile->n_insns; i++)
		occurrences[i].pair = UINT32_MAX;
	for (uint32_t i = 0; i < simulation->n_pairs; i++)
		if (simulation->pairs[i].count && simulation->pair_of_path[simulation->pairs[i].to] != UINT32_MAX)
			find_in_path(simulation, i, occurrences);
	return occurrences;
}

static mcyc_t event_mcyc(struct region_simulation *simulation, const struct event *event, struct occurrence occurrence)
{
	const struct path_pair *pair = &simulation->pairs[occurrence.pair];
	uint32_t mispredicted = event->delay_cycles ? REPLAY_NO_BLOCK : occurrence.place;
	uint32_t delayed_insn = event->delay_cycles ? event->insn : PROFILE_NONE;
	uint64_t without = region_measure_pair(simulation, pair, REPLAY_NO_BLOCK, PROFILE_NONE, 0);
	uint64_t with = region_measure_pair(simulation, pair, mispredicted, delayed_insn, event->delay_cycles);

	return with > without ? (mcyc_t)(with - without) * MCYC_PER_CYCLE : 0;
}

static void run_events(struct region_simulation *simulation, struct events *events, enum stall_cause stall)
{
	struct occurrence *occurrences = find_occurrences(simulation);
	size_t n_done = 0;
	mcyc_t sum_mcyc = 0;

	if (events->n_events)
		qsort(events->events, events->n_events, sizeof(*events->events), compare_events);
	for (size_t i = 0; i < events->n_events; i++) {
		const struct event *event = &events->events[i];
		struct occurrence occurrence = occurrences[event->insn];
		mcyc_t mcyc = n_done ? sum_mcyc / (mcyc_t)n_done : 0;

		if (occurrence.pair != UINT32_MAX && n_done < EVENTS_MAX) {
			mcyc = event_mcyc(simulation, event, occurrence);
			sum_mcyc += mcyc;
			n_done++;
		}
		region_charge_insn(simulation, event->insn, stall, region_scale_mcyc(mcyc, event->count, 1));
	}
	free(occurrences);
	free(events->events);
}

void region_charge_mispredicts(struct region_simulation *simulation)
{
	struct events events = {0};

	for (uint32_t i = 0; i < simulation->profile->n_insns; i++) {
		uint64_t count = profile_tally_get(&simulation->region->mispredicts, i);

		if (!count)
			continue;
		simulation->cycles->n_mispredicts += count;
		if (simulation->replay.events[i].mispredictions)
			continue;
		*ARRAY_ADD(&events, events) = (struct event){.insn = i, .count = count};
	}
	run_events(simulation, &events, STALL_MISPREDICT);
}

void region_charge_misses(struct region_simulation *simulation)
{
	struct events events = {0};

	for (uint32_t i = 0; i < simulation->profile->n_insns && simulation->cycles->has_caches; i++)
		for (int miss = 0; miss < N_PROFILE_MISSES; miss++) {
			uint64_t count = profile_get_misses(simulation->region, simulation->cache,
							    (enum profile_miss)miss, i);

			simulation->cycles->n_misses[miss] += count;
			if (count && !simulation->replay.events[i].misses[miss])
				*ARRAY_ADD(&events, events) = (struct event){i, simulation->replay.miss_cycles[miss],
									     count};
		}
	run_events(simulation, &events, STALL_MEMORY);
}
