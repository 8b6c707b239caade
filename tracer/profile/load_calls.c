#include <stdlib.h>

#include "base/array.h"
#include "profile/format.h"

struct calls_loader {
	struct byte_reader *reader;
	const struct profile *profile;
	struct profile_region *region;
	uint32_t *depths; /* [n_contexts] */
	uint64_t *sums;	  /* [n_insns + 1] executions of all contexts, each as its difference from the one before */
	uint64_t total, allocated;
};

static uint32_t get_insn(struct calls_loader *loader, uint32_t *before)
{
	uint64_t insn = *before + (uint64_t)bytes_get_int(loader->reader);

	if (insn >= loader->profile->n_insns) {
		bytes_fail(loader->reader, "its call tree has an instruction that is not there");
		insn = 0;
	}
	*before = (uint32_t)insn;
	return (uint32_t)insn;
}

static void get_parents(struct calls_loader *loader)
{
	struct profile_context *contexts = loader->region->contexts;

	for (uint32_t i = 0; i < loader->region->n_contexts; i++) {
		uint32_t back = (uint32_t)bytes_get_limited(loader->reader, i);

		contexts[i].parent = back ? i - back : PROFILE_NONE;
		loader->depths[i] = back ? loader->depths[i - back] + 1 : 0;
		if (loader->depths[i] >= PROFILE_MAX_CALL_DEPTH)
			bytes_fail(loader->reader, "its call tree is too deep");
	}
}

static void get_recursion(struct calls_loader *loader, uint32_t index)
{
	struct profile_context *contexts = loader->region->contexts;
	uint64_t levels = bytes_get_limited(loader->reader, loader->depths[index]);
	uint32_t above = index;

	for (uint64_t k = 0; k < levels; k++)
		above = contexts[above].parent;
	contexts[index].recursion_of = levels ? above : PROFILE_NONE;
	if (contexts[index].parent != PROFILE_NONE && contexts[contexts[index].parent].recursion_of != PROFILE_NONE)
		bytes_fail(loader->reader, "a recursive call in its call tree calls something");
}

static void get_contexts(struct calls_loader *loader)
{
	struct profile_region *region = loader->region;
	uint32_t before = 0;

	get_parents(loader);
	for (size_t i = 0; i < region->n_contexts; i++)
		region->contexts[i].site = region->contexts[i].parent == PROFILE_NONE ? PROFILE_NONE
										      : get_insn(loader, &before);
	before = 0;
	for (size_t i = 0; i < region->n_contexts; i++)
		region->contexts[i].entry = get_insn(loader, &before);
	for (uint32_t i = 0; i < region->n_contexts && !loader->reader->problem; i++)
		get_recursion(loader, i);
	for (size_t i = 0; i < region->n_contexts; i++)
		region->contexts[i].calls = format_get_count(loader->reader);
}

/* Their sums must not wrap. */
static bool add_run(struct calls_loader *loader, const struct profile_context_run *run)
{
	uint64_t added;

	if (__builtin_mul_overflow(run->executions, (uint64_t)run->n_insns, &added) ||
	    added > INT64_MAX - loader->total || !run->executions || !run->n_insns)
		return false;
	loader->total += added;
	loader->sums[run->first] += run->executions;
	loader->sums[run->first + run->n_insns] -= run->executions;
	return true;
}

static void get_runs(struct calls_loader *loader, struct profile_context *context, size_t n_runs, uint64_t *before)
{
	struct byte_reader *reader = loader->reader;
	size_t n_insns = loader->profile->n_insns, next = 0;

	for (size_t i = 0; i < n_runs && !reader->problem; i++) {
		struct profile_context_run run;

		run.first = (uint32_t)(next + bytes_get_limited(reader, n_insns - next));
		run.n_insns = (uint32_t)bytes_get_limited(reader, n_insns - run.first);
		run.executions = *before + (uint64_t)bytes_get_int(reader);
		/* Whoever reads the tree looks at each instruction. */
		if (!bytes_charge(reader, run.n_insns, sizeof(uint64_t)))
			return;
		if (context->recursion_of != PROFILE_NONE || !add_run(loader, &run)) {
			bytes_fail(reader, "its call tree has counts that cannot be");
			return;
		}
		profile_add_context_run(loader->region, context, run);
		*before = run.executions;
		next = run.first + run.n_insns;
	}
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

static void check_sums(struct calls_loader *loader)
{
	const struct profile_region *region = loader->region;
	uint64_t sum = 0;

	for (size_t i = 0; i < loader->profile->n_insns; i++) {
		sum += loader->sums[i];
		if (sum != (i < region->n_counts ? region->executions[i] : 0)) {
			bytes_fail(loader->reader, "its call tree does not add up to what was executed");
			return;
		}
	}
}

void format_get_calls(struct byte_reader *reader, struct profile *profile)
{
	struct calls_loader loader = {.reader = reader, .profile = profile};
	struct profile_region *region = &profile->regions[profile->n_regions - 1];
	size_t n_contexts = bytes_get_number(reader, 5, sizeof(*region->contexts) + 2 * sizeof(uint32_t));
	uint32_t *n_runs;
	uint64_t before = 0;

	profile->has_calls = true;
	loader.region = region;
	if (reader->problem || !bytes_charge(reader, profile->n_insns + 1, sizeof(uint64_t)))
		return;
	region->contexts = xcalloc(n_contexts, sizeof(*region->contexts));
	region->n_contexts = region->contexts_capacity = n_contexts;
	loader.depths = xcalloc(n_contexts, sizeof(*loader.depths));
	loader.sums = xcalloc(profile->n_insns + 1, sizeof(*loader.sums));
	n_runs = xcalloc(n_contexts, sizeof(*n_runs));
	get_contexts(&loader);
	for (size_t i = 0; i < n_contexts; i++)
		n_runs[i] = (uint32_t)bytes_get_number(reader, 3, 2 * sizeof(struct profile_context_run));
	for (size_t i = 0; i < n_contexts && !reader->problem; i++)
		get_runs(&loader, &region->contexts[i], n_runs[i], &before);
	if (!reader->problem)
		check_sums(&loader);
	if (!reader->problem)
		get_syscall_sites(&loader);
	/* Of old, there were none. */
	if (!reader->problem && reader->at < reader->end)
		get_allocations(&loader);
	profile->has_memory |= region->n_allocations > 0;
	profile_sort_call_sites(region);
	free(loader.depths);
	free(loader.sums);
	free(n_runs);
}
