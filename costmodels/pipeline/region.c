#include "costmodels/pipeline/region.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/pipeline/machine.h"
#include "costmodels/pipeline/replay.h"

enum {
	CONTEXT_INSNS = 320,	   /* executed before a pair is looked at, where the model states no larger window */
	BUDGET_INSNS = 8 << 20,	   /* simulated for one region: some seconds at most */
	PAIR_SHARE_MIN = 100000,   /* a pair is worth it that has this part of all executions, or more */
	LOOP_WINDOW_INSNS = 256,   /* of a loop's rounds that are compared with those before them */
	LOOP_WINDOWS_MAX = 16,	   /* then it is taken as it is */
	BRANCHES_MAX = 1 << 12,	   /* mispredicted branches that are simulated; the others get their mean */
	CONTEXT_PATHS_MAX = 1 << 9 /* more paths than that have no instructions to speak of */
};

/* Cycles are multiplied by counts of executions; the sums stay far below this (estimate_check.h). */
#define MCYC_LIMIT (INT64_MAX / 8)

struct job {
	uint32_t from, to;
	uint64_t count; /* with those of other pairs that count as this one */
	uint64_t own;	/* of the pair alone */
};

/* Charges of the simulator's instructions before what is looked at. */
struct snapshot {
	uint32_t *blocks; /* of the replay, each once */
	size_t n_blocks, blocks_capacity;
	mcyc_t (*waits_mcyc)[N_WAITS]; /* of all their instructions */
	size_t n_waits_mcyc, waits_mcyc_capacity;
	uint32_t *stamps; /* [n_stamps] by block: the last snapshot that has it */
	size_t n_stamps, stamps_capacity;
	uint32_t stamp;
};

struct simulation {
	struct replay replay;
	const struct profile *profile;
	const struct profile_region *region;
	struct region_cycles *cycles;
	uint32_t context_insns;
	uint32_t *before, *after; /* [n_paths] the most frequent neighbour of each path, or PROFILE_NONE */
	uint64_t *most;		  /* [n_paths] while these are sought */
	uint32_t *context;	  /* [CONTEXT_PATHS_MAX] */
	struct job *jobs;	  /* by descending weight */
	size_t n_jobs;
	uint32_t *job_of;  /* [n_paths] the first job that is simulated and leads there, or UINT32_MAX */
	uint32_t *loop_of; /* [n_insns] loop by its first instruction, or UINT32_MAX */
	struct snapshot snapshot;
	uint64_t budget_insns;
};

static void add_mcyc(mcyc_t *sum, mcyc_t mcyc)
{
	if (__builtin_add_overflow(*sum, mcyc, sum) || *sum > MCYC_LIMIT)
		*sum = MCYC_LIMIT;
}

static mcyc_t times(mcyc_t mcyc, uint64_t count)
{
	__int128 product = (__int128)mcyc * (__int128)count;

	return product > MCYC_LIMIT ? MCYC_LIMIT : (mcyc_t)product;
}

static uint64_t weight(const struct simulation *simulation, const struct job *job)
{
	return job->own * simulation->profile->paths[job->to].n_insns;
}

static void find_neighbours(struct simulation *simulation)
{
	size_t n_paths = simulation->profile->n_paths;

	for (size_t i = 0; i < n_paths; i++)
		simulation->before[i] = simulation->after[i] = PROFILE_NONE;
	for (size_t i = 0; i < simulation->region->n_pairs; i++) {
		const struct profile_pair *pair = &simulation->region->pairs[i];

		if (pair->from == PROFILE_NONE || pair->count <= simulation->most[pair->to])
			continue;
		simulation->most[pair->to] = pair->count;
		simulation->before[pair->to] = pair->from;
	}
	memset(simulation->most, 0, n_paths * sizeof(*simulation->most));
	for (size_t i = 0; i < simulation->region->n_pairs; i++) {
		const struct profile_pair *pair = &simulation->region->pairs[i];

		if (pair->from == PROFILE_NONE || pair->count <= simulation->most[pair->from])
			continue;
		simulation->most[pair->from] = pair->count;
		simulation->after[pair->from] = pair->to;
	}
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

/* The paths before a pair's second one, the oldest first: enough to fill the machine. Returns their number. */
static size_t find_context(struct simulation *simulation, uint32_t from)
{
	uint64_t n_insns = 0;
	size_t first = CONTEXT_PATHS_MAX, n;

	for (uint32_t path = from; path != PROFILE_NONE && first > 0; path = simulation->before[path]) {
		simulation->context[--first] = path;
		n_insns += simulation->profile->paths[path].n_insns;
		if (n_insns >= simulation->context_insns)
			break;
	}
	n = CONTEXT_PATHS_MAX - first;
	memmove(simulation->context, simulation->context + first, n * sizeof(*simulation->context));
	return n;
}

static void snapshot_path(struct simulation *simulation, uint32_t path)
{
	struct snapshot *snapshot = &simulation->snapshot;
	uint32_t n_blocks;
	const uint32_t *blocks = replay_blocks(&simulation->replay, path, &n_blocks);

	for (uint32_t i = 0; i < n_blocks; i++) {
		const struct replay_block *block = &simulation->replay.blocks[blocks[i]];

		while (snapshot->n_stamps <= blocks[i])
			ARRAY_ADD(snapshot, stamps);
		if (snapshot->stamps[blocks[i]] == snapshot->stamp || block->number == REPLAY_NO_BLOCK)
			continue;
		snapshot->stamps[blocks[i]] = snapshot->stamp;
		*ARRAY_ADD(snapshot, blocks) = blocks[i];
		for (uint32_t k = 0; k < block->n_insns; k++)
			memcpy(*ARRAY_ADD(snapshot, waits_mcyc),
			       simulator_charges(simulation->replay.simulator, block->number)[k].waits_mcyc,
			       sizeof(*snapshot->waits_mcyc));
	}
}

static void take_snapshot(struct simulation *simulation, size_t n_context, uint32_t to)
{
	struct snapshot *snapshot = &simulation->snapshot;

	snapshot->stamp++;
	snapshot->n_blocks = snapshot->n_waits_mcyc = 0;
	for (size_t i = 0; i < n_context; i++)
		snapshot_path(simulation, simulation->context[i]);
	snapshot_path(simulation, to);
}

static mcyc_t share(mcyc_t mcyc, uint64_t count, uint64_t rounds)
{
	__int128 product = (__int128)mcyc * (__int128)count / (__int128)rounds;

	return product > MCYC_LIMIT ? MCYC_LIMIT : (mcyc_t)product;
}

/* Charges what was added since the snapshot, in so many rounds, as often as it was executed. */
static void charge(struct simulation *simulation, const struct job *job, uint64_t rounds, mcyc_t sums_mcyc[N_WAITS])
{
	const struct snapshot *snapshot = &simulation->snapshot;
	size_t at = 0;

	for (size_t i = 0; i < snapshot->n_blocks; i++) {
		const struct replay_block *block = &simulation->replay.blocks[snapshot->blocks[i]];
		const struct simulator_charge *charges = simulator_charges(simulation->replay.simulator, block->number);

		for (uint32_t k = 0; k < block->n_insns; k++, at++) {
			mcyc_t *insn_mcyc =
				&simulation->cycles->insn_mcyc[simulation->replay.insns[block->first_insn + k]];

			for (int wait = 0; wait < N_WAITS; wait++) {
				mcyc_t added = charges[k].waits_mcyc[wait] - snapshot->waits_mcyc[at][wait];

				if (!added)
					continue;
				added = share(added, job->count, rounds);
				add_mcyc(insn_mcyc, added);
				add_mcyc(&simulation->cycles->waits_mcyc[wait], added);
				sums_mcyc[wait] += added;
			}
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
		add_mcyc(&loop->waits_mcyc[i], sums_mcyc[i]);
}

static void execute_context(struct simulation *simulation, size_t n_context)
{
	replay_restart(&simulation->replay);
	for (size_t i = 0; i < n_context; i++)
		replay_execute(&simulation->replay, simulation->context[i], REPLAY_NO_BLOCK);
}

/* Rounds of a loop until they take the same time; returns how many are behind the last snapshot. */
static uint64_t execute_loop(struct simulation *simulation, size_t n_context, uint32_t path)
{
	uint64_t rounds = LOOP_WINDOW_INSNS / simulation->profile->paths[path].n_insns + 4, before = UINT64_MAX;

	for (int window = 0; window < LOOP_WINDOWS_MAX; window++) {
		uint64_t begin = simulator_cycles(simulation->replay.simulator), now;

		take_snapshot(simulation, n_context, path);
		for (uint64_t i = 0; i < rounds; i++)
			replay_execute(&simulation->replay, path, REPLAY_NO_BLOCK);
		now = simulator_cycles(simulation->replay.simulator) - begin;
		if (now + 1 >= before && before + 1 >= now)
			break;
		before = now;
	}
	return rounds;
}

static void run_job(struct simulation *simulation, const struct job *job)
{
	size_t n_context = find_context(simulation, job->from);
	mcyc_t sums_mcyc[N_WAITS] = {0};
	uint64_t rounds = 1;

	execute_context(simulation, n_context);
	if (job->from == job->to) {
		rounds = execute_loop(simulation, n_context, job->to);
	} else {
		take_snapshot(simulation, n_context, job->to);
		replay_execute(&simulation->replay, job->to, REPLAY_NO_BLOCK);
	}
	charge(simulation, job, rounds, sums_mcyc);
	if (head_of(simulation->profile, job->from) == head_of(simulation->profile, job->to))
		add_rounds(simulation, job, sums_mcyc);
}

/* The executions of a path that is simulated nowhere cost what the others do. */
static void charge_mean(struct simulation *simulation, const struct job *job, mcyc_t mean_mcyc)
{
	const struct profile_path *path = &simulation->profile->paths[job->to];

	for (uint32_t i = 0; i < path->n_insns; i++) {
		mcyc_t added = times(mean_mcyc, job->count);

		add_mcyc(&simulation->cycles->insn_mcyc[simulation->profile->path_insns[path->first_insn + i]], added);
		add_mcyc(&simulation->cycles->waits_mcyc[WAIT_RETIRE], added);
	}
}

static mcyc_t sum_waits(const mcyc_t waits_mcyc[N_WAITS])
{
	mcyc_t sum = 0;

	for (int i = 0; i < N_WAITS; i++)
		add_mcyc(&sum, waits_mcyc[i]);
	return sum;
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
		mean_mcyc = (mcyc_t)((uint64_t)sum_waits(cycles->waits_mcyc) / n_known);
	for (size_t i = 0; i < simulation->n_jobs; i++) {
		const struct job *job = &simulation->jobs[i];

		if (!job->count || simulation->job_of[job->to] != UINT32_MAX)
			continue;
		charge_mean(simulation, job, mean_mcyc);
		cycles->n_averaged += job->count * simulation->profile->paths[job->to].n_insns;
	}
}

/* A branch that was mispredicted. */
struct branch {
	uint32_t insn;
	uint64_t mispredicts;
	uint32_t job;	/* the heaviest that executes it, or UINT32_MAX */
	uint32_t place; /* of the block that it ends, in the job's path */
};

static int compare_branches(const void *left, const void *right)
{
	const struct branch *a = left, *b = right;

	if (a->mispredicts != b->mispredicts)
		return a->mispredicts < b->mispredicts ? 1 : -1;
	return a->insn < b->insn ? -1 : a->insn > b->insn;
}

static struct branch *find_branches(struct simulation *simulation, size_t *n_branches)
{
	const struct profile_tally *mispredicts = &simulation->region->mispredicts;
	struct branch *branches = xcalloc(simulation->profile->n_insns, sizeof(*branches));
	size_t n = 0;

	for (uint32_t i = 0; i < simulation->profile->n_insns; i++)
		branches[i] = (struct branch){.insn = i, .job = UINT32_MAX};
	for (uint32_t i = 0; i < simulation->n_jobs; i++) {
		const struct job *job = &simulation->jobs[i];
		const uint32_t *blocks;
		uint32_t n_blocks;

		if (!job->count || simulation->job_of[job->to] == UINT32_MAX)
			continue;
		blocks = replay_blocks(&simulation->replay, job->to, &n_blocks);
		for (uint32_t k = 0; k < n_blocks; k++) {
			const struct replay_block *block = &simulation->replay.blocks[blocks[k]];
			uint32_t last = simulation->replay.insns[block->first_insn + block->n_insns - 1];

			if (branches[last].job == UINT32_MAX)
				branches[last] = (struct branch){.insn = last, .job = i, .place = k};
		}
	}
	for (uint32_t i = 0; i < simulation->profile->n_insns; i++) {
		branches[i].mispredicts = profile_tally_of(mispredicts, i);
		if (branches[i].mispredicts)
			branches[n++] = branches[i];
	}
	qsort(branches, n, sizeof(*branches), compare_branches);
	*n_branches = n;
	return branches;
}

/* Cycles of a pair, what comes before it and what most often comes behind it. */
static uint64_t cycles_around(struct simulation *simulation, const struct job *job, uint32_t mispredicted)
{
	size_t n_context = find_context(simulation, job->from);
	uint64_t begin, n_insns = 0;

	execute_context(simulation, n_context);
	begin = simulator_cycles(simulation->replay.simulator);
	replay_execute(&simulation->replay, job->to, mispredicted);
	for (uint32_t path = simulation->after[job->to]; path != PROFILE_NONE && n_insns < simulation->context_insns;
	     path = simulation->after[path]) {
		replay_execute(&simulation->replay, path, REPLAY_NO_BLOCK);
		n_insns += simulation->profile->paths[path].n_insns;
	}
	return simulator_cycles(simulation->replay.simulator) - begin;
}

static mcyc_t misprediction_mcyc(struct simulation *simulation, const struct branch *branch)
{
	const struct job *job = &simulation->jobs[branch->job];
	uint64_t predicted = cycles_around(simulation, job, REPLAY_NO_BLOCK);
	uint64_t mispredicted = cycles_around(simulation, job, branch->place);

	return mispredicted > predicted ? (mcyc_t)(mispredicted - predicted) * MCYC_PER_CYCLE : 0;
}

static void charge_branch(struct simulation *simulation, const struct branch *branch, mcyc_t mcyc)
{
	mcyc_t added = times(mcyc, branch->mispredicts);

	simulation->cycles->n_mispredicts += branch->mispredicts;
	add_mcyc(&simulation->cycles->waits_mcyc[WAIT_MISPREDICT], added);
	if (branch->insn < simulation->cycles->n_insns)
		add_mcyc(&simulation->cycles->insn_mcyc[branch->insn], added);
}

static void run_branches(struct simulation *simulation)
{
	uint64_t n_simulated = 0;
	mcyc_t sum_mcyc = 0;
	size_t n_branches, n_done = 0;
	struct branch *branches = find_branches(simulation, &n_branches);

	for (size_t i = 0; i < n_branches; i++) {
		mcyc_t mcyc;

		if (n_done == BRANCHES_MAX || branches[i].job == UINT32_MAX) {
			mcyc = n_simulated ? sum_mcyc / (mcyc_t)n_simulated : 0;
		} else {
			mcyc = misprediction_mcyc(simulation, &branches[i]);
			add_mcyc(&sum_mcyc, times(mcyc, branches[i].mispredicts));
			n_simulated += branches[i].mispredicts;
			n_done++;
		}
		charge_branch(simulation, &branches[i], mcyc);
	}
	free(branches);
}

static int compare_loops(const void *left, const void *right)
{
	const struct region_loop *a = left, *b = right;
	mcyc_t a_mcyc = sum_waits(a->waits_mcyc), b_mcyc = sum_waits(b->waits_mcyc);

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
					  .context_insns = CONTEXT_INSNS,
					  .budget_insns = BUDGET_INSNS};
	if (pipeline->parameters.rob > CONTEXT_INSNS)
		simulation->context_insns = pipeline->parameters.rob;
	replay_init(&simulation->replay, profile, pipeline);
	simulation->before = xcalloc(n_paths, sizeof(*simulation->before));
	simulation->after = xcalloc(n_paths, sizeof(*simulation->after));
	simulation->most = xcalloc(n_paths, sizeof(*simulation->most));
	simulation->job_of = xcalloc(n_paths, sizeof(*simulation->job_of));
	simulation->loop_of = xcalloc(profile->n_insns, sizeof(*simulation->loop_of));
	memset(simulation->loop_of, 0xff, profile->n_insns * sizeof(*simulation->loop_of));
	simulation->context = xcalloc(CONTEXT_PATHS_MAX, sizeof(*simulation->context));
}

static void simulation_deinit(struct simulation *simulation)
{
	replay_deinit(&simulation->replay);
	free(simulation->before);
	free(simulation->after);
	free(simulation->most);
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
	find_neighbours(&simulation);
	sort_jobs(&simulation);
	choose_jobs(&simulation);
	run_jobs(&simulation);
	run_branches(&simulation);
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
