#include "recorders/call_mappings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A call that mapped memory. The call counts as kept while any part of its memory is mapped. */
struct mapping_call {
	uint32_t site, n_ranges; /* n_ranges: mapped parts of the memory */
};

struct call_mapping {
	uint64_t va, end_va;
	struct mapping_call *call;
};

static void release(struct mapping_call *call, struct profile_allocation *sites)
{
	if (--call->n_ranges > 0)
		return;
	sites[call->site].kept_calls--;
	free(call);
}

/* Returns the index of the first range that ends after an address. */
static size_t find_range(const struct call_mappings *mappings, uint64_t va)
{
	return ARRAY_SEARCH(mappings->n_ranges, i, mappings->ranges[i].end_va <= va);
}

static void insert(struct call_mappings *mappings, size_t at, struct call_mapping range)
{
	(void)ARRAY_ADD(mappings, ranges);
	memmove(&mappings->ranges[at + 1], &mappings->ranges[at],
		(mappings->n_ranges - 1 - at) * sizeof(*mappings->ranges));
	mappings->ranges[at] = range;
}

void call_mappings_add(struct call_mappings *mappings, struct profile_allocation *sites, uint32_t site, uint64_t va,
		       uint64_t bytes)
{
	struct mapping_call *call = xcalloc(1, sizeof(*call));

	*call = (struct mapping_call){site, 1};
	insert(mappings, find_range(mappings, va), (struct call_mapping){va, va + bytes, call});
	sites[site].kept_calls++;
	sites[site].kept_bytes += bytes;
}

static uint64_t max_va(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t min_va(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Removes va..end_va from the middle of a range, which becomes two ranges. */
static void split_range(struct call_mappings *mappings, size_t at, uint64_t va, uint64_t end_va)
{
	struct call_mapping rest = mappings->ranges[at];

	rest.va = end_va;
	rest.call->n_ranges++;
	mappings->ranges[at].end_va = va;
	insert(mappings, at + 1, rest);
}

uint64_t call_mappings_remove(struct call_mappings *mappings, struct profile_allocation *sites, uint64_t va,
			      uint64_t bytes)
{
	uint64_t end_va = bytes < UINT64_MAX - va ? va + bytes : UINT64_MAX, removed = 0;
	size_t first = find_range(mappings, va), at, n_removed = 0;

	for (at = first; at < mappings->n_ranges && mappings->ranges[at].va < end_va; at++) {
		struct call_mapping *range = &mappings->ranges[at];
		uint64_t from_va = max_va(va, range->va), to_va = min_va(end_va, range->end_va);

		removed += to_va - from_va;
		sites[range->call->site].kept_bytes -= to_va - from_va;
		if (from_va == range->va && to_va == range->end_va) {
			release(range->call, sites);
			n_removed++;
		} else if (from_va == range->va) {
			range->va = to_va;
			break;
		} else if (to_va == range->end_va) {
			range->end_va = from_va;
			first++;
		} else {
			split_range(mappings, at, from_va, to_va);
			break;
		}
	}
	if (n_removed > 0) {
		memmove(&mappings->ranges[first], &mappings->ranges[first + n_removed],
			(mappings->n_ranges - first - n_removed) * sizeof(*mappings->ranges));
		mappings->n_ranges -= n_removed;
	}
	return removed;
}

void call_mappings_deinit(struct call_mappings *mappings)
{
	for (size_t i = 0; i < mappings->n_ranges; i++)
		if (--mappings->ranges[i].call->n_ranges == 0)
			free(mappings->ranges[i].call);
	free(mappings->ranges);
	*mappings = (struct call_mappings){0};
}
