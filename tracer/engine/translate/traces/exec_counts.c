#include "engine/translate/traces/exec_counts.h"

#include "engine/translate/traces/seed.h"

enum {
	HOT = 256,  /* executions from which on copying code into a trace pays */
	ENDING = 8, /* with a seed, a trace ends at one transfer in this many */
};

void exec_counts_add(struct va_map *counts, uint64_t va, uint64_t executions)
{
	uint64_t sum = executions + exec_counts_get(counts, va);

	if (executions)
		va_map_set(counts, va, sum < VA_MAP_NONE ? (uint32_t)sum : VA_MAP_NONE - 1);
}

uint32_t exec_counts_get(const struct va_map *counts, uint64_t va)
{
	uint32_t found = va_map_get(counts, va);

	return found == VA_MAP_NONE ? 0 : found;
}

bool exec_counts_is_hot(const struct translator *translator, uint64_t va)
{
	if (seed_is_set(translator))
		return seed_draw(translator, va, ENDING) != 0;
	return exec_counts_get(&translator->traces.exec_counts, va) >= HOT;
}

bool exec_counts_is_rarely_taken(const struct translator *translator, uint64_t next_va, uint64_t target_va)
{
	const struct va_map *counts = &translator->traces.exec_counts;
	uint32_t taken = exec_counts_get(counts, target_va), not_taken = exec_counts_get(counts, next_va);

	return taken == not_taken ? target_va > next_va : taken < not_taken;
}

bool exec_counts_may_execute(const struct translator *translator, uint64_t va)
{
	const struct va_map *counts = &translator->traces.exec_counts;

	return !counts->n_used || exec_counts_get(counts, va) || seed_is_set(translator);
}
