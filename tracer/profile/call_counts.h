/* The contexts of one region and what they execute, while it runs (calls.h). Private to profile/. */
#ifndef ITRACE_PROFILE_CALL_COUNTS_H
#define ITRACE_PROFILE_CALL_COUNTS_H

#include "profile/call_circles.h"
#include "profile/call_memory.h"
#include "profile/profile.h"

/* More of them count for their callers: a program that makes as many is past what a tree can show. */
#define CALL_CONTEXTS_MAX ((size_t)1 << 18)

/* What a context is entered for: a function's index, or, in code without symbols, the instruction that was called. */
#define CALL_KEY_INSN UINT32_C(0x80000000)

struct call_callee {
	uint32_t key;
	uint32_t function; /* index or PROFILE_NONE */
	uint32_t entry;	   /* instruction */
};

/* What counts for what a thread executes: a context, and a set of functions (call_circles.h). */
struct call_position {
	uint32_t context, set;
};

#define CALL_NOWHERE ((struct call_position){PROFILE_NONE, CALL_SET_EMPTY})

struct call_counts {
	struct profile_context *contexts;
	size_t n_contexts, contexts_capacity;
	uint32_t *keys, *functions, *depths; /* [n_contexts]; roots are at depth 0 */
	size_t keys_capacity, functions_capacity, depths_capacity;
	uint32_t *context_slots; /* open addressing by parent, site and key; 0 is free, else index + 1 */
	size_t n_context_slots;
	struct call_tally tally; /* by context */
	struct call_circles circles;
	struct profile_syscall_site *sites;
	size_t n_sites, sites_capacity;
	uint32_t *site_slots; /* by all but the count */
	size_t n_site_slots;
	struct call_memory memory;
	bool is_full; /* CALL_CONTEXTS_MAX or PROFILE_MAX_CALL_DEPTH was reached */
};

void call_counts_deinit(struct call_counts *counts);

/* What counts for what is called from `site` where `from` counts: CALL_NOWHERE and PROFILE_NONE for a root. */
struct call_position call_counts_enter(struct call_counts *counts, struct call_position from, uint32_t site,
				       const struct call_callee *callee);

static inline void call_counts_add(struct call_counts *counts, struct call_position place, uint32_t block)
{
	call_tally_add(&counts->tally, place.context, block);
	if (place.set != CALL_SET_EMPTY)
		call_tally_add(&counts->circles.tally, place.set, block);
}

void call_counts_add_syscall(struct call_counts *counts, uint32_t context, uint32_t insn, uint32_t syscall);

/* Moves all to the region. */
void call_counts_finish(struct call_counts *counts, const struct profile *profile, struct profile_region *region);

#endif
