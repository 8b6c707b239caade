#include <stdlib.h>

#include "base/array.h"
#include "profile/format.h"

static int compare_runs(const void *left, const void *right)
{
	const struct format_run *a = left, *b = right;

	return a->insn < b->insn ? -1 : a->insn > b->insn;
}

/* The contexts with instructions as in the file, each with its executions instruction by instruction. */
static void place_contexts(const struct profile_region *region, const uint32_t *positions,
			   struct profile_context *contexts, struct format_run **runs)
{
	struct {
		struct format_run *runs;
		size_t n_runs, runs_capacity;
	} list = {0};

	for (size_t i = 0; i < region->n_contexts; i++) {
		struct profile_context *context = &contexts[i];
		size_t first = list.n_runs;

		*context = region->contexts[i];
		if (context->site != PROFILE_NONE)
			context->site = positions[context->site];
		context->entry = positions[context->entry];
		for (size_t k = 0; k < context->n_runs; k++) {
			const struct profile_context_run *run = &region->context_runs[context->first_run + k];

			for (uint32_t n = 0; n < run->n_insns; n++)
				*ARRAY_ADD(&list, runs) = (struct format_run){positions[run->first + n],
									      run->executions};
		}
		context->first_run = first;
		context->n_runs = list.n_runs - first;
		if (context->n_runs > 0)
			qsort(list.runs + first, context->n_runs, sizeof(*list.runs), compare_runs);
	}
	*runs = list.runs;
}

/* Copies of what happens at instructions, by position and by context as numbered in the file, and in the order of these. */
static void place_sites(const struct profile_region *region, const uint32_t *positions, const uint32_t *contexts,
			struct profile_region *placed)
{
	*placed = (struct profile_region){.n_syscall_sites = region->n_syscall_sites,
					  .n_allocations = region->n_allocations};
	placed->syscall_sites = xcalloc(placed->n_syscall_sites, sizeof(*placed->syscall_sites));
	for (size_t i = 0; i < placed->n_syscall_sites; i++) {
		placed->syscall_sites[i] = region->syscall_sites[i];
		placed->syscall_sites[i].insn = positions[region->syscall_sites[i].insn];
		placed->syscall_sites[i].context = contexts[region->syscall_sites[i].context];
	}
	placed->allocations = xcalloc(placed->n_allocations, sizeof(*placed->allocations));
	for (size_t i = 0; i < placed->n_allocations; i++) {
		placed->allocations[i] = region->allocations[i];
		placed->allocations[i].insn = positions[region->allocations[i].insn];
		placed->allocations[i].context = contexts[region->allocations[i].context];
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

void format_put_calls(const struct profile *profile, const struct profile_region *region,
		      const struct profile_insn *insns, const uint32_t *positions, struct byte_writer *out)
{
	struct profile_context *contexts = xcalloc(region->n_contexts, sizeof(*contexts));
	uint32_t *numbers = xcalloc(region->n_contexts, sizeof(*numbers));
	uint64_t *executions = xcalloc(profile->n_insns, sizeof(*executions));
	struct flow_edge *edges = format_sort_edges(region, positions);
	struct format_calls calls = {.insns = insns,
				     .executions = executions,
				     .n_insns = profile->n_insns,
				     .edges = edges,
				     .n_edges = region->n_edges,
				     .source = contexts,
				     .numbers = numbers,
				     .n_source = region->n_contexts};
	struct format_run *runs;
	struct profile_region placed;

	for (size_t i = 0; i < region->n_counts; i++)
		executions[positions[i]] = region->executions[i];
	place_contexts(region, positions, contexts, &runs);
	calls.source_runs = runs;
	format_io_calls(&(struct bytes_io){.writer = out}, &calls);
	place_sites(region, positions, numbers, &placed);
	put_syscall_sites(&placed, out);
	put_allocations(&placed, out);
	free(placed.syscall_sites);
	free(placed.allocations);
	free(calls.contexts);
	free(contexts);
	free(numbers);
	free(executions);
	free(edges);
	free(runs);
}
