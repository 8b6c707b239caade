/* Counts of regions: executions, transfers of control, pairs of paths, system calls, misses. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/index.h"
#include "profile/profile.h"

/* Generated from <asm/unistd_64.h> and <asm/unistd_32.h> by the build. */
#include "profile/syscall_names.inc"

/* New instructions appear one by one while they are counted. Arrays grow for many at once. */
static __attribute__((noinline)) void region_grow_counts(struct profile_region *region, size_t n_insns)
{
	size_t capacity = region->counts_capacity;

	region->n_counts = n_insns;
	if (n_insns <= capacity)
		return;
	region->executions = array_reserve(region->executions, &capacity, n_insns, sizeof(*region->executions));
	region->iterations = array_reserve(region->iterations, &region->counts_capacity, n_insns,
					   sizeof(*region->iterations));
}

void profile_count(struct profile *profile, uint32_t region, uint32_t insn, uint64_t executions, uint64_t iterations)
{
	struct profile_region *counted = &profile->regions[region];

	if (__builtin_expect(insn >= counted->n_counts, 0)) {
		assert(insn < profile->n_insns);
		region_grow_counts(counted, profile->n_insns);
	}
	counted->executions[insn] += executions;
	counted->iterations[insn] += iterations;
}

static uint32_t *find_slot(const struct profile_transitions *counts, uint32_t from, uint32_t to)
{
	return INDEX_SLOT(&counts->index, index_hash_pair(from, to), i,
			  counts->rows[i].from == from && counts->rows[i].to == to);
}

static void count_transition(struct profile_transitions *counts, uint32_t from, uint32_t to, uint64_t count)
{
	uint32_t *slot;

	INDEX_RESERVE(&counts->index, counts->n_rows, i, find_slot(counts, counts->rows[i].from, counts->rows[i].to));
	slot = find_slot(counts, from, to);
	if (!*slot) {
		*ARRAY_ADD(counts, rows) = (struct profile_transition){.from = from, .to = to};
		*slot = (uint32_t)counts->n_rows;
	}
	counts->rows[*slot - 1].count += count;
}

void profile_count_edge(struct profile *profile, uint32_t region, uint32_t from, uint32_t to, uint64_t count)
{
	count_transition(&profile->regions[region].edges, from, to, count);
}

void profile_count_pair(struct profile *profile, uint32_t region, uint32_t from, uint32_t to, uint64_t count)
{
	assert(to < profile->n_paths);
	count_transition(&profile->regions[region].pairs, from, to, count);
}

void profile_discard_edges(struct profile *profile)
{
	profile->has_edges = false;
	for (size_t i = 0; i < profile->n_regions; i++) {
		struct profile_transitions *edges = &profile->regions[i].edges;

		free(edges->rows);
		free(edges->index.slots);
		*edges = (struct profile_transitions){0};
	}
}

const char *profile_syscall_name(int64_t number, bool is_int80)
{
	size_t n_names = is_int80 ? ARRAY_LENGTH(names_32) : ARRAY_LENGTH(names_64);

	if (number < 0 || (uint64_t)number >= n_names)
		return NULL;
	return is_int80 ? names_32[number] : names_64[number];
}

void profile_count_syscall(struct profile *profile, uint32_t region, int64_t number, bool is_int80, uint64_t count)
{
	struct profile_region *counted = &profile->regions[region];
	struct profile_syscall *call;
	const char *name;

	for (size_t i = 0; i < counted->n_syscalls; i++) {
		call = &counted->syscalls[i];
		if (call->number == number && call->is_int80 == is_int80) {
			call->count += count;
			return;
		}
	}
	name = profile_syscall_name(number, is_int80);
	call = ARRAY_ADD(counted, syscalls);
	*call = (struct profile_syscall){.number = number, .is_int80 = is_int80, .count = count};
	call->name = name ? xstrdup(name) : xasprintf("syscall_%" PRId64, number);
}

static uint64_t sum(const uint64_t *counts, size_t n_counts)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n_counts; i++)
		total += counts[i];
	return total;
}

uint64_t profile_region_executions(const struct profile_region *region)
{
	return sum(region->executions, region->n_counts);
}

uint64_t profile_region_iterations(const struct profile_region *region)
{
	return sum(region->iterations, region->n_counts);
}

void profile_tally_add(struct profile_tally *tally, uint32_t insn, uint64_t count)
{
	if (insn >= tally->n_counts) {
		tally->counts = array_reserve(tally->counts, &tally->counts_capacity, (size_t)insn + 1,
					      sizeof(*tally->counts));
		tally->n_counts = (size_t)insn + 1;
	}
	tally->counts[insn] += count;
}

uint64_t profile_tally_get(const struct profile_tally *tally, uint32_t insn)
{
	return insn < tally->n_counts ? tally->counts[insn] : 0;
}

void profile_count_miss(struct profile *profile, uint32_t region, size_t cache, enum profile_miss miss, uint32_t insn,
			uint64_t count)
{
	struct profile_region *counted = &profile->regions[region];

	assert(cache < profile->n_caches);
	if (!counted->misses)
		counted->misses = xcalloc(profile->n_caches * N_PROFILE_MISSES, sizeof(*counted->misses));
	profile_tally_add(&counted->misses[cache * N_PROFILE_MISSES + miss], insn, count);
}

uint64_t profile_get_misses(const struct profile_region *region, size_t cache, enum profile_miss miss, uint32_t insn)
{
	return region->misses ? profile_tally_get(&region->misses[cache * N_PROFILE_MISSES + miss], insn) : 0;
}
