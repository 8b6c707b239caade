#include "profile/call_tally.h"

#include <stdlib.h>

#include "base/array.h"

void call_tally_deinit(struct call_tally *tally)
{
	free(tally->counters);
	free(tally->slots);
	free(tally->recent);
	*tally = (struct call_tally){0};
}

static uint32_t *slot_of(const struct call_tally *tally, uint32_t number, uint32_t block)
{
	uint64_t hash = ((uint64_t)number << 32 | block) * CALL_HASH_FACTOR;
	size_t mask = tally->n_slots - 1;
	size_t i = (size_t)(hash >> 32) & mask;

	for (; tally->slots[i]; i = (i + 1) & mask) {
		const struct call_counter *counter = &tally->counters[tally->slots[i] - 1];

		if (counter->number == number && counter->block == block)
			break;
	}
	return &tally->slots[i];
}

static void grow(struct call_tally *tally)
{
	free(tally->slots);
	tally->n_slots = tally->n_slots ? tally->n_slots * 2 : 256;
	tally->slots = xcalloc(tally->n_slots, sizeof(*tally->slots));
	for (size_t i = 0; i < tally->n_counters; i++)
		*slot_of(tally, tally->counters[i].number, tally->counters[i].block) = (uint32_t)i + 1;
}

uint32_t call_tally_find(struct call_tally *tally, uint32_t number, uint32_t block)
{
	uint32_t *slot;

	if (tally->n_counters * 2 >= tally->n_slots)
		grow(tally);
	slot = slot_of(tally, number, block);
	if (!*slot) {
		*ARRAY_ADD(tally, counters) = (struct call_counter){.number = number, .block = block};
		*slot = (uint32_t)tally->n_counters;
	}
	tally->recent = array_reserve(tally->recent, &tally->recent_capacity, (size_t)block + 1,
				      sizeof(*tally->recent));
	tally->recent[block] = (struct call_recent){.number_plus_1 = number + 1, .counter = *slot - 1};
	return *slot - 1;
}

static int compare(const void *left, const void *right)
{
	const struct call_counter *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

void call_tally_sort(struct call_tally *tally)
{
	if (tally->n_counters)
		qsort(tally->counters, tally->n_counters, sizeof(*tally->counters), compare);
}
