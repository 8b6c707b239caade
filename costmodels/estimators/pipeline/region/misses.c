/* Frequent events of the simulation: cache misses with their latencies, and mispredictions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/machine.h"
#include "costmodels/estimators/pipeline/region/region_private.h"
#include "costmodels/predictors/cache.h"

/* An event is part of the simulation if at least one in FREQUENT executions has it. */
enum { FREQUENT = 16, DEFAULT_CYCLE_PS = 250 /* 4 GHz, if the model states no clock */ };

/* Returns 0 for a parameter that is not stated. */
static double get_number(const struct model *model, const char *key)
{
	const char *text = model_parameter(model, key);

	return text ? strtod(text, NULL) : 0;
}

/* Returns the cycles that a miss adds to the latency of a load. */
static uint32_t extra_cycles(double latency, uint32_t load_latency)
{
	return latency > load_latency ? (uint32_t)(latency + 0.5) - load_latency : 1;
}

static void find_latencies(struct replay *replay, const struct model *model, uint32_t load_latency)
{
	double cycle_ps = (double)model_cycle_ps(model), memory = get_number(model, "memory_ns") * 1000;

	replay->miss_cycles[MISS_SERVED_BY_L2] = extra_cycles(get_number(model, "l2_latency"), load_latency);
	replay->miss_cycles[MISS_SERVED_BY_L3] = extra_cycles(get_number(model, "l3_latency"), load_latency);
	replay->miss_cycles[MISS_SERVED_BY_MEMORY] = extra_cycles(memory / (cycle_ps > 0 ? cycle_ps : DEFAULT_CYCLE_PS),
								  load_latency);
	replay->miss_cycles[MISS_SERVED_BY_STLB] = extra_cycles(get_number(model, "stlb_latency"), 0);
	replay->miss_cycles[MISS_SERVED_BY_PAGE_TABLES] =
		extra_cycles(get_number(model, "stlb_latency") + get_number(model, "page_walk_latency"), 0);
}

static bool find_cache(const struct profile *profile, const struct model *model, size_t *cache)
{
	char text[CACHE_GEOMETRY_BYTES];
	struct cache_geometry geometry;

	if (!cache_geometry_from_model(model, &geometry))
		return false;
	cache_geometry_text(&geometry, text);
	for (*cache = 0; *cache < profile->n_caches; ++*cache)
		if (strcmp(profile->caches[*cache], text) == 0)
			return true;
	return false;
}

/* Returns the share of an instruction's executions in units of 1/REPLAY_ALWAYS, or 0 if it is below 1/FREQUENT. */
static uint32_t frequent_share(uint64_t count, uint64_t executions)
{
	double share = executions ? (double)count / (double)executions : 0;

	if (share * FREQUENT < 1)
		return 0;
	return share >= 1 ? REPLAY_ALWAYS : (uint32_t)(share * REPLAY_ALWAYS);
}

void region_prepare_misses(struct region_simulation *simulation, struct pipeline *pipeline)
{
	const struct profile_region *region = simulation->region;
	struct replay *replay = &simulation->replay;

	simulation->cycles->has_caches = find_cache(simulation->profile, pipeline->model, &simulation->cache);
	if (!simulation->cycles->has_caches)
		return;
	find_latencies(replay, pipeline->model, pipeline->parameters.load_latency);
	for (uint32_t i = 0; i < region->n_counts; i++)
		for (int miss = 0; miss < N_PROFILE_MISSES; miss++)
			replay->events[i].misses[miss] = frequent_share(profile_get_misses(region, simulation->cache,
											   (enum profile_miss)miss, i),
									region->executions[i]);
}

void region_prepare_mispredictions(struct region_simulation *simulation)
{
	const struct profile_region *region = simulation->region;

	for (uint32_t i = 0; i < region->n_counts; i++)
		simulation->replay.events[i].mispredictions = frequent_share(profile_tally_get(&region->mispredicts, i),
									     region->executions[i]);
}
