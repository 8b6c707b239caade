/* Decisions for tests: with trace_plan.traces_seed, pseudo-random numbers choose the traces from the start on. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRACES_SEED_H
#define ITRACE_ENGINE_TRANSLATE_TRACES_SEED_H

#include "engine/translate/translator.h"

static inline bool seed_is_set(const struct translator *translator)
{
	return translator->engine->plan->traces_seed != 0 && translator->engine->plan->traces_seed != TRACES_NEVER;
}

/* Returns a number below n_ways, which depends on va, the seed and the number of flushes. */
static inline uint32_t seed_draw(const struct translator *translator, uint64_t va, uint32_t n_ways)
{
	uint64_t mixed = va ^ (uint64_t)translator->engine->plan->traces_seed << 32 ^
			 (uint64_t)translator->traces.n_flushes << 48;

	/* The finalizer of MurmurHash3. */
	mixed = (mixed ^ mixed >> 33) * UINT64_C(0xff51afd7ed558ccd);
	mixed = (mixed ^ mixed >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return (uint32_t)((mixed ^ mixed >> 33) % n_ways);
}

#endif
