#include "costmodels/estimators/pipeline/region/region.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/machine.h"
#include "costmodels/estimators/pipeline/region/region_private.h"

enum {
	BUDGET_INSNS = 8 << 20,	 /* simulated for one region: some seconds at most */
	PAIR_SHARE_MIN = 100000, /* a pair is worth it that has this part of all executions, or more */
	LOOP_WINDOW_INSNS = 256, /* of a loop's rounds that are compared with those before them */
	LOOP_WINDOWS_MAX = 16,	 /* then it is taken as it is */
	LOOP_ROUNDS_MIN = 16,	 /* in a window */
	MISSING_PAIR_ROUNDS = 8, /* of a pair whose loads miss now and then */
};

static uint64_t weight(const struct simulation *simulation, const struct job *job)
{
	return job->own * simulation->profile->paths[job->to].n_insns;
}

struct weighed_job {
	uint64_t weight;
	struct job job;
};

static int compare_jobs(const void *left, const void *right)
{
	const struct weighed_job *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	/* Whatever the order in the profile. */
	if (a->job.to != b->job.to)
		return a->job.to < b->job.to ? -1 : 1;
	return a->job.from < b->job.from ? -1 : a->job.from > b->job.from;
}

static void sort_jobs(struct simulation *simulation)
{
	struct weighed_job *weighed = xcalloc(simulation->region->n_pairs, sizeof(*weighed));

	simulation->n_jobs = simulation->region->n_pairs;
	simulation->jobs = xcalloc(simulation->n_jobs, sizeof(*simulation->jobs));
	for (size_t i = 0; i < simulation->n_jobs; i++) {
		const struct profile_pair *pair = &simulation->region->pairs[i];

		weighed[i].job = (struct job){pair->from, pair->to, pair->count, pair->count};
		weighed[i].weight = weight(simulation, &weighed[i].job);
	}
	qsort(weighed, simulation->n_jobs, sizeof(*weighed), compare_jobs);
	for (size_t i = 0; i < simulation->n_jobs; i++)
		simulation->jobs[i] = weighed[i].job;
	free(weighed);
}

static bool affords(struct simulation *simulation, const struct job *job)
{
	uint64_t insns = simulation->context_insns + simulation->profile->paths[job->to].n_insns;

	if (simulation->budget_insns < insns)
		return false;
	simulation->budget_insns -= insns;
	return true;
}

/* Which pairs are simulated. Those that weigh something, and one of each path; the others count as that one. Jobs that are not
 * simulated keep no count, unless their path is simulated nowhere. */
static void choose_jobs(struct simulation *simulation)
{
	uint64_t least = profile_region_executions(simulation->region) / PAIR_SHARE_MIN;

	for (size_t i = 0; i < simulation->profile->n_paths; i++)
		simulation->job_of[i] = UINT32_MAX;
	for (size_t i = 0; i < simulation->n_jobs; i++) {
		struct job *job = &simulation->jobs[i];
		uint32_t *first = &simulation->job_of[job->to];

		if ((*first == UINT32_MAX || weight(simulation, job) >= least) && affords(simulation, job)) {
			if (*first == UINT32_MAX)
				*first = (uint32_t)i;
		} else if (*first != UINT32_MAX) {
			simulation->jobs[*first].count += job->count;
			job->count = 0;
		} else {
			simulation->budget_insns = 0; /* later ones are lighter */
		}
	}
}

static uint32_t head_of(const struct profile *profile, uint32_t path)
{
	return path == PROFILE_NONE ? PROFILE_NONE : profile->path_insns[profile->paths[path].first_insn];
}

/* Adds a round to its loop. Jobs come by their weight: the first of a loop has its most expensive path. */
static void add_rounds(struct simulation *simulation, const struct job *job, const mcyc_t sums_mcyc[N_WAITS])
{
	struct region_cycles *cycles = simulation->cycles;
	uint32_t head = head_of(simulation->profile, job->to), *loop_of = &simulation->loop_of[head];
	struct region_loop *loop;

	if (*loop_of == UINT32_MAX) {
		*ARRAY_ADD(cycles, loops) = (struct region_loop){.head = head, .path = job->to};
		*loop_of = (uint32_t)cycles->n_loops - 1;
	}
	loop = &cycles->loops[*loop_of];
	loop->rounds += job->count;
	loop->executions += job->count * simulation->profile->paths[job->to].n_insns;
	for (int i = 0; i < N_WAITS; i++)
		loop->waits_mcyc[i] += sums_mcyc[i];
}

/* Rounds of a loop until they take the same time; returns how many are behind the last snapshot. */
static uint64_t execute_loop(struct simulation *simulation, size_t n_context, uint32_t path)
{
	uint64_t rounds = LOOP_WINDOW_INSNS / simulation->profile->paths[path].n_insns + LOOP_ROUNDS_MIN,
		 before = UINT64_MAX;

	for (int window = 0; window < LOOP_WINDOWS_MAX; window++) {
		uint64_t begin = simulator_cycles(simulation->replay.simulator), now;

		region_take_snapshot(simulation, n_context, path);
		for (uint64_t i = 0; i < rounds; i++)
			replay_execute(&simulation->replay, path, REPLAY_NO_BLOCK);
		now = simulator_cycles(simulation->replay.simulator) - begin;
		if (now + 1 >= before && before + 1 >= now)
			break;
		before = now;
	}
	return rounds;
}

/* The rounds of one time that the loop is entered, of which the first is behind another path; returns how many are behind the
 * snapshot. */
static uint64_t execute_short_loop(struct simulation *simulation, uint32_t path)
{
	size_t n_context = region_execute_context(simulation, simulation->entry[path]);

	replay_execute(&simulation->replay, path, REPLAY_NO_BLOCK);
	region_take_snapshot(simulation, n_context, path);
	for (uint32_t i = 0; i < simulation->rounds[path]; i++)
		replay_execute(&simulation->replay, path, REPLAY_NO_BLOCK);
	return simulation->rounds[path];
}

static bool plays_misses(struct simulation *simulation, uint32_t index)
{
	const struct profile_path *path = &simulation->profile->paths[index];

	for (uint32_t i = 0; i < path->n_insns; i++)
		for (int miss = 0; miss < N_PROFILE_MISSES; miss++)
			if (replay_plays_miss(&simulation->replay,
					      simulation->profile->path_insns[path->first_insn + i],
					      (enum profile_miss)miss))
				return true;
	return false;
}

static void run_job(struct simulation *simulation, const struct job *job)
{
	/* Loads that miss now and then do so in some executions of a pair. */
	uint64_t rounds = plays_misses(simulation, job->to) ? MISSING_PAIR_ROUNDS : 1;
	bool is_loop = job->from == job->to;
	mcyc_t sums_mcyc[N_WAITS] = {0};

	for (uint64_t i = 0; i < (is_loop ? 1 : rounds); i++) {
		size_t n_context;

		if (is_loop && region_is_short_loop(simulation, job->to)) {
			rounds = execute_short_loop(simulation, job->to);
			region_charge(simulation, job->count, rounds, sums_mcyc);
			break;
		}
		n_context = region_execute_context(simulation, job->from);
		if (is_loop) {
			rounds = execute_loop(simulation, n_context, job->to);
		} else {
			region_take_snapshot(simulation, n_context, job->to);
			replay_execute(&simulation->replay, job->to, REPLAY_NO_BLOCK);
		}
		region_charge(simulation, job->count, rounds, sums_mcyc);
	}
	if (head_of(simulation->profile, job->from) == head_of(simulation->profile, job->to))
		add_rounds(simulation, job, sums_mcyc);
}

/* The executions of a path that is simulated nowhere cost what the others do. */
static void charge_mean(struct simulation *simulation, const struct job *job, mcyc_t mean_mcyc)
{
	const struct profile_path *path = &simulation->profile->paths[job->to];

	for (uint32_t i = 0; i < path->n_insns; i++) {
		mcyc_t added = region_times(mean_mcyc, job->count);

		region_charge_insn(simulation, simulation->profile->path_insns[path->first_insn + i], WAIT_RETIRE,
				   added);
	}
}

static void run_jobs(struct simulation *simulation)
{
	struct region_cycles *cycles = simulation->cycles;
	uint64_t n_known;
	mcyc_t mean_mcyc = MCYC_PER_CYCLE;

	for (size_t i = 0; i < simulation->n_jobs; i++) {
		const struct job *job = &simulation->jobs[i];
		uint32_t n_insns = simulation->profile->paths[job->to].n_insns;

		if (!job->count || simulation->job_of[job->to] == UINT32_MAX)
			continue;
		run_job(simulation, job);
		cycles->n_simulated += job->own * n_insns;
		cycles->n_related += (job->count - job->own) * n_insns;
	}
	n_known = cycles->n_simulated + cycles->n_related;
	if (n_known)
		mean_mcyc = (mcyc_t)((uint64_t)region_sum_waits(cycles->waits_mcyc) / n_known);
	for (size_t i = 0; i < simulation->n_jobs; i++) {
		const struct job *job = &simulation->jobs[i];

		if (!job->count || simulation->job_of[job->to] != UINT32_MAX)
			continue;
		charge_mean(simulation, job, mean_mcyc);
		cycles->n_averaged += job->count * simulation->profile->paths[job->to].n_insns;
	}
}

static int compare_loops(const void *left, const void *right)
{
	const struct region_loop *a = left, *b = right;
	mcyc_t a_mcyc = region_sum_waits(a->waits_mcyc), b_mcyc = region_sum_waits(b->waits_mcyc);

	if (a_mcyc != b_mcyc)
		return a_mcyc < b_mcyc ? 1 : -1;
	return a->head < b->head ? -1 : a->head > b->head;
}

static void simulation_init(struct simulation *simulation, struct pipeline *pipeline, const struct profile *profile,
			    uint32_t region, struct region_cycles *cycles)
{
	size_t n_paths = profile->n_paths;

	*simulation = (struct simulation){.profile = profile,
					  .region = &profile->regions[region],
					  .cycles = cycles,
					  .context_insns = REGION_CONTEXT_INSNS,
					  .budget_insns = BUDGET_INSNS};
	if (pipeline->parameters.rob > REGION_CONTEXT_INSNS)
		simulation->context_insns = pipeline->parameters.rob;
	replay_init(&simulation->replay, profile, pipeline);
	region_prepare_misses(simulation, pipeline);
	simulation->before = xcalloc(n_paths, sizeof(*simulation->before));
	simulation->after = xcalloc(n_paths, sizeof(*simulation->after));
	simulation->entry = xcalloc(n_paths, sizeof(*simulation->entry));
	simulation->rounds = xcalloc(n_paths, sizeof(*simulation->rounds));
	simulation->job_of = xcalloc(n_paths, sizeof(*simulation->job_of));
	simulation->loop_of = xcalloc(profile->n_insns, sizeof(*simulation->loop_of));
	memset(simulation->loop_of, 0xff, profile->n_insns * sizeof(*simulation->loop_of));
	simulation->context = xcalloc(REGION_CONTEXT_PATHS, sizeof(*simulation->context));
}

static void simulation_deinit(struct simulation *simulation)
{
	replay_deinit(&simulation->replay);
	free(simulation->before);
	free(simulation->after);
	free(simulation->entry);
	free(simulation->rounds);
	free(simulation->job_of);
	free(simulation->loop_of);
	free(simulation->context);
	free(simulation->jobs);
	free(simulation->snapshot.blocks);
	free(simulation->snapshot.waits_mcyc);
	free(simulation->snapshot.stamps);
}

void region_cycles_init(struct region_cycles *cycles, struct pipeline *pipeline, const struct profile *profile,
			uint32_t region)
{
	struct simulation simulation;

	*cycles = (struct region_cycles){.n_insns = profile->regions[region].n_counts};
	cycles->insn_mcyc = xcalloc(cycles->n_insns, sizeof(*cycles->insn_mcyc));
	simulation_init(&simulation, pipeline, profile, region, cycles);
	region_find_neighbours(&simulation);
	sort_jobs(&simulation);
	choose_jobs(&simulation);
	run_jobs(&simulation);
	region_run_branches(&simulation);
	region_run_misses(&simulation);
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
