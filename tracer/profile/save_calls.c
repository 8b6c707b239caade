#include <stdlib.h>

#include "base/array.h"
#include "profile/format.h"

/* Executions of one instruction in one context. */
struct placed {
	uint32_t position;
	uint64_t executions;
};

struct placed_list {
	struct placed *placed;
	size_t n_placed, placed_capacity;
};

static int compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	return a->position < b->position ? -1 : a->position > b->position;
}

/* How many levels above it the context is that counts for this one; 0: itself. */
static uint64_t levels_up(const struct profile_region *region, const struct profile_context *context)
{
	uint64_t levels = 1;

	if (context->recursion_of == PROFILE_NONE)
		return 0;
	for (uint32_t i = context->parent; i != context->recursion_of; i = region->contexts[i].parent)
		levels++;
	return levels;
}

static void put_contexts(const struct profile_region *region, const uint32_t *positions, struct byte_writer *out)
{
	uint32_t before = 0;

	bytes_put_uint(out, region->n_contexts);
	for (size_t i = 0; i < region->n_contexts; i++)
		bytes_put_uint(out, region->contexts[i].parent == PROFILE_NONE ? 0 : i - region->contexts[i].parent);
	for (size_t i = 0; i < region->n_contexts; i++) {
		if (region->contexts[i].parent == PROFILE_NONE)
			continue;
		bytes_put_int(out, (int64_t)positions[region->contexts[i].site] - before);
		before = positions[region->contexts[i].site];
	}
	before = 0;
	for (size_t i = 0; i < region->n_contexts; i++) {
		bytes_put_int(out, (int64_t)positions[region->contexts[i].entry] - before);
		before = positions[region->contexts[i].entry];
	}
	for (size_t i = 0; i < region->n_contexts; i++)
		bytes_put_uint(out, levels_up(region, &region->contexts[i]));
	for (size_t i = 0; i < region->n_contexts; i++)
		bytes_put_uint(out, region->contexts[i].calls);
}

static void place(const struct profile_region *region, const struct profile_context *context, const uint32_t *positions,
		  struct placed_list *list)
{
	list->n_placed = 0;
	for (size_t i = 0; i < context->n_runs; i++) {
		const struct profile_context_run *run = &region->context_runs[context->first_run + i];

		for (uint32_t k = 0; k < run->n_insns; k++)
			*ARRAY_ADD(list, placed) = (struct placed){positions[run->first + k], run->executions};
	}
	qsort(list->placed, list->n_placed, sizeof(*list->placed), compare_placed);
}

/* Runs of neighbouring positions that were executed equally often. */
static size_t put_runs(const struct placed_list *list, uint64_t *executions_before, struct byte_writer *out)
{
	size_t n_runs = 0, next = 0;

	for (size_t i = 0; i < list->n_placed;) {
		const struct placed *first = &list->placed[i];
		size_t start = i;

		do
			i++;
		while (i < list->n_placed && list->placed[i].position == list->placed[i - 1].position + 1 &&
		       list->placed[i].executions == first->executions);
		bytes_put_uint(out, first->position - next);
		bytes_put_uint(out, i - start);
		bytes_put_int(out, (int64_t)(first->executions - *executions_before));
		*executions_before = first->executions;
		next = list->placed[i - 1].position + 1;
		n_runs++;
	}
	return n_runs;
}

/* Copies of what happens at instructions, by position, and in the order of these. */
static void place_sites(const struct profile_region *region, const uint32_t *positions, struct profile_region *placed)
{
	*placed = (struct profile_region){.n_syscall_sites = region->n_syscall_sites,
					  .n_allocations = region->n_allocations};
	placed->syscall_sites = xcalloc(placed->n_syscall_sites, sizeof(*placed->syscall_sites));
	for (size_t i = 0; i < placed->n_syscall_sites; i++) {
		placed->syscall_sites[i] = region->syscall_sites[i];
		placed->syscall_sites[i].insn = positions[region->syscall_sites[i].insn];
	}
	placed->allocations = xcalloc(placed->n_allocations, sizeof(*placed->allocations));
	for (size_t i = 0; i < placed->n_allocations; i++) {
		placed->allocations[i] = region->allocations[i];
		placed->allocations[i].insn = positions[region->allocations[i].insn];
	}
	profile_sort_call_sites(placed);
}

static void put_syscall_sites(const struct profile_region *region, struct byte_writer *out)
{
	uint32_t context = 0;

	bytes_put_uint(out, region->n_syscall_sites);
	for (size_t i = 0; i < region->n_syscall_sites; i++) {
		const struct profile_syscall_site *site = &region->syscall_sites[i];

		bytes_put_uint(out, site->context - context);
		bytes_put_uint(out, site->insn);
		bytes_put_uint(out, site->syscall);
		bytes_put_uint(out, site->count);
		context = site->context;
	}
}

static void put_allocations(const struct profile_region *region, struct byte_writer *out)
{
	uint32_t context = 0;

	bytes_put_uint(out, region->n_allocations);
	for (size_t i = 0; i < region->n_allocations; i++) {
		const struct profile_allocation *allocation = &region->allocations[i];

		bytes_put_uint(out, allocation->context - context);
		bytes_put_uint(out, allocation->insn);
		bytes_put_uint(out, allocation->allocator);
		bytes_put_uint(out, allocation->calls);
		bytes_put_uint(out, allocation->bytes);
		bytes_put_uint(out, allocation->kept_calls);
		bytes_put_uint(out, allocation->kept_bytes);
		context = allocation->context;
	}
}

void format_put_calls(const struct profile_region *region, const uint32_t *positions, struct byte_writer *out)
{
	struct profile_region placed;
	struct placed_list list = {0};
	struct byte_writer runs = {0};
	uint64_t before = 0;

	put_contexts(region, positions, out);
	for (size_t i = 0; i < region->n_contexts; i++) {
		place(region, &region->contexts[i], positions, &list);
		bytes_put_uint(out, put_runs(&list, &before, &runs));
	}
	bytes_put_raw(out, runs.bytes, runs.n_bytes);
	place_sites(region, positions, &placed);
	put_syscall_sites(&placed, out);
	put_allocations(&placed, out);
	free(placed.syscall_sites);
	free(placed.allocations);
	free(runs.bytes);
	free(list.placed);
}
