#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/format.h"

struct calls_loader {
	struct byte_reader *reader;
	const struct profile *profile;
	struct profile_region *region;
	uint64_t allocated;
};

/* Neighbouring instructions that were executed equally often become runs. */
static void set_runs(struct profile_region *region, struct profile_context *context, const struct format_run *runs)
{
	size_t i = context->first_run, end = i + context->n_runs;

	context->n_runs = 0;
	while (i < end) {
		struct profile_context_run run = {runs[i].insn, 0, runs[i].executions};

		do
			run.n_insns++, i++;
		while (i < end && runs[i].insn == runs[i - 1].insn + 1 && runs[i].executions == run.executions);
		profile_add_context_run(region, context, run);
	}
}

static void get_contexts(struct calls_loader *loader)
{
	struct profile_region *region = loader->region;
	size_t n_insns = loader->profile->n_insns;
	uint64_t *executions = xcalloc(n_insns, sizeof(*executions));
	struct flow_edge *edges = format_sort_edges(region, NULL);
	struct format_calls calls = {.insns = loader->profile->insns,
				     .executions = executions,
				     .n_insns = n_insns,
				     .edges = edges,
				     .n_edges = region->n_edges};

	if (region->n_counts > 0)
		memcpy(executions, region->executions, region->n_counts * sizeof(*executions));
	format_io_calls(&(struct bytes_io){.reader = loader->reader}, &calls);
	region->contexts = calls.contexts;
	region->n_contexts = calls.n_contexts;
	region->contexts_capacity = calls.contexts_capacity;
	for (size_t i = 0; i < region->n_contexts; i++)
		set_runs(region, &region->contexts[i], calls.runs);
	free(calls.runs);
	free(executions);
	free(edges);
}

static void get_syscall_sites(struct calls_loader *loader)
{
	struct byte_reader *reader = loader->reader;
	struct profile_region *region = loader->region;
	size_t n = bytes_get_number(reader, 4, 2 * sizeof(*region->syscall_sites));
	uint64_t context = 0;

	if (n && (!region->n_contexts || !region->n_syscalls))
		bytes_fail(reader, "a system call is of nothing that is there");
	for (size_t i = 0; i < n && !reader->problem; i++) {
		struct profile_syscall_site *site = ARRAY_ADD(region, syscall_sites);

		context += bytes_get_limited(reader, region->n_contexts - 1 - context);
		site->context = (uint32_t)context;
		site->insn = (uint32_t)bytes_get_limited(reader, loader->profile->n_insns - 1);
		site->syscall = (uint32_t)bytes_get_limited(reader, region->n_syscalls - 1);
		site->count = format_get_count(reader);
	}
}

/* Their sums must not wrap. */
static uint64_t get_amount(struct calls_loader *loader)
{
	uint64_t amount = format_get_count(loader->reader);

	if (amount > INT64_MAX - loader->allocated) {
		bytes_fail(loader->reader, "its allocations are too large");
		return 0;
	}
	loader->allocated += amount;
	return amount;
}

static void get_allocations(struct calls_loader *loader)
{
	struct byte_reader *reader = loader->reader;
	struct profile_region *region = loader->region;
	size_t n = bytes_get_number(reader, 7, 2 * sizeof(*region->allocations));
	uint64_t context = 0;

	if (n && !region->n_contexts)
		bytes_fail(reader, "an allocation is of nothing that is there");
	for (size_t i = 0; i < n && !reader->problem; i++) {
		struct profile_allocation *allocation = ARRAY_ADD(region, allocations);

		context += bytes_get_limited(reader, region->n_contexts - 1 - context);
		allocation->context = (uint32_t)context;
		allocation->insn = (uint32_t)bytes_get_limited(reader, loader->profile->n_insns - 1);
		allocation->allocator = (enum profile_allocator)bytes_get_limited(reader, N_ALLOCATORS - 1);
		allocation->calls = get_amount(loader);
		allocation->bytes = get_amount(loader);
		allocation->kept_calls = get_amount(loader);
		allocation->kept_bytes = get_amount(loader);
	}
}

/* What reading takes for each instruction of the file. */
#define PLACE_BYTES ((size_t)128)

void format_get_calls(struct byte_reader *reader, struct profile *profile)
{
	struct profile_region *region = &profile->regions[profile->n_regions - 1];
	struct calls_loader loader = {.reader = reader, .profile = profile, .region = region};

	if (!bytes_charge(reader, profile->n_insns + 1, PLACE_BYTES))
		return;
	get_contexts(&loader);
	if (!reader->problem)
		get_syscall_sites(&loader);
	if (!reader->problem)
		get_allocations(&loader);
	profile->has_calls = true;
	profile->has_memory |= region->n_allocations > 0;
	profile_sort_call_sites(region);
}
