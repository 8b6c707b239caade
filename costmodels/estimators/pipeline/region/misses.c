/* Frequent events of the simulation: cache misses with their latencies, and mispredictions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/machine.h"
#include "costmodels/estimators/pipeline/region/region_private.h"
#include "costmodels/predictors/cache.h"

/* events of at least one of this many executions are part of the simulation */
enum { OFTEN = 16 };

static double number(const struct model *model, const char *key)
{
	const char *text = model_parameter(model, key);

	return text ? strtod(text, NULL) : 0;
}

static uint32_t beyond(double latency, uint32_t load_latency)
{
	return latency > load_latency ? (uint32_t)(latency + 0.5) - load_latency : 1;
}

static void find_latencies(struct replay *replay, const struct model *model, uint32_t load_latency)
{
	double cycle_ps = (double)model_cycle_ps(model), memory = number(model, "memory_ns") * 1000;

	replay->miss_cycles[MISS_IN_L2] = beyond(number(model, "l2_latency"), load_latency);
	replay->miss_cycles[MISS_IN_L3] = beyond(number(model, "l3_latency"), load_latency);
	replay->miss_cycles[MISS_IN_MEMORY] = beyond(cycle_ps > 0 ? memory / cycle_ps : memory / 250, load_latency);
	replay->miss_cycles[MISS_IN_STLB] = beyond(number(model, "stlb_latency"), 0);
	replay->miss_cycles[MISS_IN_PAGE_TABLES] =
		beyond(number(model, "stlb_latency") + number(model, "page_walk_latency"), 0);
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

/* Returns the share of an instruction's executions in units of 1/REPLAY_ALWAYS, or 0 if it is below 1/OFTEN. */
static uint32_t frequent_share(uint64_t count, uint64_t executions)
{
	double share = executions ? (double)count / (double)executions : 0;

	if (share * OFTEN < 1)
		return 0;
	return share >= 1 ? REPLAY_ALWAYS : (uint32_t)(share * REPLAY_ALWAYS);
}

void region_prepare_misses(struct region_simulation *simulation, struct pipeline *pipeline)
{
	const struct profile_region *region = simulation->region;
	struct replay *replay = &simulation->replay;

	simulation->has_caches = find_cache(simulation->profile, pipeline->model, &simulation->cache);
	simulation->cycles->has_caches = simulation->has_caches;
	if (!simulation->has_caches)
		return;
	find_latencies(replay, pipeline->model, pipeline->parameters.load_latency);
	for (uint32_t i = 0; i < region->n_counts; i++)
		for (int miss = 0; miss < N_PROFILE_MISSES; miss++)
			replay->events[i].misses[miss] =
				frequent_share(profile_miss_of(region, simulation->cache, (enum profile_miss)miss, i),
					       region->executions[i]);
}

void region_prepare_mispredictions(struct region_simulation *simulation)
{
	const struct profile_region *region = simulation->region;

	for (uint32_t i = 0; i < region->n_counts; i++)
		simulation->replay.events[i].mispredictions = frequent_share(profile_tally_of(&region->mispredicts, i),
									     region->executions[i]);
}
