#include "recorders/call_mappings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A call counts as kept while any part of its memory is mapped. */
struct call {
	uint32_t site, n_ranges;
};

struct call_mapping {
	uint64_t va, end_va;
	struct call *call;
};

static void release(struct call *call, struct profile_allocation *sites)
{
	if (--call->n_ranges > 0)
		return;
	sites[call->site].kept_calls--;
	free(call);
}

/* Returns the index of the first range that ends after an address. */
static size_t find(const struct call_mappings *mappings, uint64_t va)
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
	struct call *call = xcalloc(1, sizeof(*call));

	*call = (struct call){site, 1};
	insert(mappings, find(mappings, va), (struct call_mapping){va, va + bytes, call});
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

/* Splits a mapping that contains the range in its middle. */
static void cut_in_two(struct call_mappings *mappings, size_t at, uint64_t va, uint64_t end_va)
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
	size_t first = find(mappings, va), at, n_gone = 0;

	for (at = first; at < mappings->n_ranges && mappings->ranges[at].va < end_va; at++) {
		struct call_mapping *range = &mappings->ranges[at];
		uint64_t from_va = max_va(va, range->va), to_va = min_va(end_va, range->end_va);

		removed += to_va - from_va;
		sites[range->call->site].kept_bytes -= to_va - from_va;
		if (from_va == range->va && to_va == range->end_va) {
			release(range->call, sites);
			n_gone++;
		} else if (from_va == range->va) {
			range->va = to_va;
			break;
		} else if (to_va == range->end_va) {
			range->end_va = from_va;
			first++;
		} else {
			cut_in_two(mappings, at, from_va, to_va);
			break;
		}
	}
	if (n_gone > 0) {
		memmove(&mappings->ranges[first], &mappings->ranges[first + n_gone],
			(mappings->n_ranges - first - n_gone) * sizeof(*mappings->ranges));
		mappings->n_ranges -= n_gone;
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
