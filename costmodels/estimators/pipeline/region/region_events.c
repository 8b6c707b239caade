/* What happens to few executions of an instruction: each kind is simulated once, where the instruction is executed most. */
#include <stdlib.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/region/region_private.h"

/* Kinds that are simulated; the others take the mean of those. */
enum { EVENTS_MAX = 1 << 11 };

struct event {
	uint32_t insn;
	uint32_t late_cycles; /* that its load takes longer; 0: a branch is mispredicted */
	uint64_t count;
};

struct events {
	struct event *events;
	size_t n_events, events_capacity;
};

/* Where an instruction is executed most. */
struct stage {
	uint32_t job;	/* UINT32_MAX: in none that is simulated */
	uint32_t place; /* of its block in the job's path */
};

static int compare_events(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	if (a->insn != b->insn)
		return a->insn < b->insn ? -1 : 1;
	return a->late_cycles < b->late_cycles ? -1 : a->late_cycles > b->late_cycles;
}

static void find_in_path(struct simulation *simulation, uint32_t job, struct stage *stages)
{
	uint32_t n_blocks;
	const uint32_t *blocks = replay_blocks(&simulation->replay, simulation->jobs[job].to, &n_blocks);

	for (uint32_t i = 0; i < n_blocks; i++) {
		const struct replay_block *block = &simulation->replay.blocks[blocks[i]];

		for (uint32_t k = 0; k < block->n_insns; k++) {
			struct stage *stage = &stages[simulation->replay.insns[block->first_insn + k]];

			if (stage->job == UINT32_MAX)
				*stage = (struct stage){job, i};
		}
	}
}

/* Jobs come by their weight. */
static struct stage *find_stages(struct simulation *simulation)
{
	struct stage *stages = xcalloc(simulation->profile->n_insns, sizeof(*stages));

	for (size_t i = 0; i < simulation->profile->n_insns; i++)
		stages[i].job = UINT32_MAX;
	for (uint32_t i = 0; i < simulation->n_jobs; i++)
		if (simulation->jobs[i].count && simulation->job_of[simulation->jobs[i].to] != UINT32_MAX)
			find_in_path(simulation, i, stages);
	return stages;
}

static mcyc_t event_mcyc(struct simulation *simulation, const struct event *event, struct stage stage)
{
	const struct job *job = &simulation->jobs[stage.job];
	uint32_t mispredicted = event->late_cycles ? REPLAY_NO_BLOCK : stage.place;
	uint32_t late = event->late_cycles ? event->insn : PROFILE_NONE;
	uint64_t without = region_cycles_around(simulation, job, REPLAY_NO_BLOCK, PROFILE_NONE, 0);
	uint64_t with = region_cycles_around(simulation, job, mispredicted, late, event->late_cycles);

	return with > without ? (mcyc_t)(with - without) * MCYC_PER_CYCLE : 0;
}

static void run_events(struct simulation *simulation, struct events *events, enum simulator_wait wait)
{
	struct stage *stages = find_stages(simulation);
	size_t n_done = 0;
	mcyc_t sum_mcyc = 0;

	if (events->n_events)
		qsort(events->events, events->n_events, sizeof(*events->events), compare_events);
	for (size_t i = 0; i < events->n_events; i++) {
		const struct event *event = &events->events[i];
		struct stage stage = stages[event->insn];
		mcyc_t mcyc = n_done ? sum_mcyc / (mcyc_t)n_done : 0;

		if (stage.job != UINT32_MAX && n_done < EVENTS_MAX) {
			mcyc = event_mcyc(simulation, event, stage);
			sum_mcyc += mcyc;
			n_done++;
		}
		region_charge_insn(simulation, event->insn, wait, region_times(mcyc, event->count));
	}
	free(stages);
	free(events->events);
}

void region_run_branches(struct simulation *simulation)
{
	struct events events = {0};

	for (uint32_t i = 0; i < simulation->profile->n_insns; i++) {
		uint64_t count = profile_tally_of(&simulation->region->mispredicts, i);

		if (!count)
			continue;
		*ARRAY_ADD(&events, events) = (struct event){.insn = i, .count = count};
		simulation->cycles->n_mispredicts += count;
	}
	run_events(simulation, &events, WAIT_MISPREDICT);
}

void region_run_misses(struct simulation *simulation)
{
	struct events events = {0};

	for (uint32_t i = 0; i < simulation->profile->n_insns && simulation->has_caches; i++)
		for (int miss = 0; miss < N_PROFILE_MISSES; miss++) {
			uint64_t count = profile_miss_of(simulation->region, simulation->cache, (enum profile_miss)miss,
							 i);

			simulation->cycles->n_misses[miss] += count;
			if (count && !replay_plays_miss(&simulation->replay, i, (enum profile_miss)miss))
				*ARRAY_ADD(&events, events) = (struct event){i, simulation->replay.miss_cycles[miss],
									     count};
		}
	run_events(simulation, &events, WAIT_MEMORY);
}
