/* How often blocks ran under what has a number: a context of a call tree, or a set of functions (call_circles.h). Private to profile/. */
#ifndef ITRACE_PROFILE_CALL_TALLY_H
#define ITRACE_PROFILE_CALL_TALLY_H

#include <stddef.h>
#include <stdint.h>

/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
#define CALL_HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

struct call_counter {
	uint32_t number, block;
	uint64_t executions;
};

struct call_tally {
	struct call_counter *counters;
	size_t n_counters, counters_capacity;
	uint32_t *slots; /* open addressing by number and block; 0 is free, else index + 1 */
	size_t n_slots;
	struct call_recent { /* the counter that a block had last */
		uint32_t number_plus_1, counter;
	} * recent; /* [recent_capacity] by block */
	size_t recent_capacity;
};

void call_tally_deinit(struct call_tally *tally);

/* Finds or adds. */
uint32_t call_tally_find(struct call_tally *tally, uint32_t number, uint32_t block);

static inline void call_tally_add(struct call_tally *tally, uint32_t number, uint32_t block)
{
	uint32_t counter;

	if (block < tally->recent_capacity && tally->recent[block].number_plus_1 == number + 1)
		counter = tally->recent[block].counter;
	else
		counter = call_tally_find(tally, number, block);
	tally->counters[counter].executions++;
}

/* Brings the counters into order, by number, then block. Nothing is added any more. */
void call_tally_sort(struct call_tally *tally);

#endif
