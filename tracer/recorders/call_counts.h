/* Calling contexts of one region and their counts, collected during the run (calls.h). Private to recorders/. */
#ifndef ITRACE_RECORDERS_CALL_COUNTS_H
#define ITRACE_RECORDERS_CALL_COUNTS_H

#include "base/index.h"
#include "profile/profile.h"
#include "recorders/call_memory.h"

/* Limit of contexts. Calls beyond the limit count in their callers. No report can show a tree of this size. */
#define CALL_CONTEXTS_MAX ((size_t)1 << 18)

/* The key of a context is the index of its function or, in code without symbols, CALL_KEY_INSN + the index of the
 * called instruction. */
#define CALL_KEY_INSN UINT32_C(0x80000000)

struct call_counter {
	uint32_t context, block;
	uint64_t executions;
};

struct call_counts {
	struct profile_context *contexts;
	size_t n_contexts, contexts_capacity;
	uint32_t *keys, *depths; /* [n_contexts]; roots are at depth 0 */
	size_t keys_capacity, depths_capacity;
	struct index context_index; /* of contexts, by parent, site and key */
	struct call_counter *counters;
	size_t n_counters, counters_capacity;
	struct index counter_index; /* of counters, by context and block */
	struct call_recent {	    /* most recent counter of a block */
		uint32_t context_plus_1, counter;
	} * recent; /* [recent_capacity] by block */
	size_t recent_capacity;
	struct profile_syscall_site *sites;
	size_t n_sites, sites_capacity;
	struct index site_index; /* of sites, by all members except the count */
	struct call_memory memory;
	bool is_full; /* CALL_CONTEXTS_MAX or PROFILE_MAX_CALL_DEPTH was reached */
};

void call_counts_deinit(struct call_counts *counts);

/* Counts a call from `site` in the context `parent`; both are PROFILE_NONE for a root. Returns the context that counts
 * the instructions of the called function. */
uint32_t call_counts_enter(struct call_counts *counts, uint32_t parent, uint32_t site, uint32_t key, uint32_t entry);

/* Returns the counter of a context and block, added if absent. */
uint32_t call_counts_find_counter(struct call_counts *counts, uint32_t context, uint32_t block);

static inline void call_counts_add(struct call_counts *counts, uint32_t context, uint32_t block)
{
	uint32_t counter;

	if (block < counts->recent_capacity && counts->recent[block].context_plus_1 == context + 1)
		counter = counts->recent[block].counter;
	else
		counter = call_counts_find_counter(counts, context, block);
	counts->counters[counter].executions++;
}

void call_counts_add_syscall(struct call_counts *counts, uint32_t context, uint32_t insn, uint32_t syscall);

/* Moves contexts and counts to the region. */
void call_counts_finish(struct call_counts *counts, const struct profile *profile, struct profile_region *region);

#endif
