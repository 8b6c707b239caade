/* Serializes call trees: contexts, their runs, system calls and allocations. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "savefile/content.h"

struct tree {
	const struct profile *profile;
	struct profile_region *region;
	uint16_t *depths;    /* reading: [n_contexts] */
	uint64_t *remaining; /* reading: [n_counts] executions of the region that no context has yet */
};

/* The column has the number of levels from a recursive context up to recursion_of; 0: not recursive. */
static void serialize_recursion(struct io *io, const struct tree *tree, struct profile_context *context)
{
	const struct profile_context *contexts = tree->region->contexts;
	uint32_t above = (uint32_t)(context - contexts);
	uint64_t levels = 0;

	if (!io->is_reading && context->recursion_of != PROFILE_NONE)
		for (; above != context->recursion_of; above = contexts[above].parent)
			levels++;
	IO_UINT(io, COLUMN_CONTEXT_RECURSION, levels, PROFILE_MAX_CALL_DEPTH);
	if (!io->is_reading || !io_charge(io, levels, 1))
		return;
	for (uint64_t i = 0; i < levels && above != PROFILE_NONE; i++)
		above = contexts[above].parent;
	io_require(io, above != PROFILE_NONE, "a number is out of range");
	context->recursion_of = levels ? above : PROFILE_NONE;
}

static void serialize_context(struct io *io, const struct tree *tree, uint32_t i)
{
	const struct profile_context *contexts = tree->region->contexts;
	struct profile_context *context = &tree->region->contexts[i];
	size_t n_insns = tree->profile->n_insns;

	IO_INDEX(io, COLUMN_CONTEXT_PARENT, context->parent, i > 0 ? contexts[i - 1].parent : PROFILE_NONE, i);
	if (context->parent != PROFILE_NONE) {
		const struct profile_context *parent = &contexts[context->parent];

		IO_VALID_INDEX(io, COLUMN_CONTEXT_SITE, context->site, parent->entry, n_insns);
		io_require(io, parent->recursion_of == PROFILE_NONE, "a recursive context has callees");
	} else {
		context->site = PROFILE_NONE;
	}
	IO_VALID_INDEX(io, COLUMN_CONTEXT_ENTRY, context->entry, 0, n_insns);
	serialize_recursion(io, tree, context);
	IO_COUNT(io, COLUMN_CONTEXT_CALLS, context->calls);
	IO_UINT(io, COLUMN_CONTEXT_RUNS, context->n_runs, tree->region->n_context_runs);
	io_require(io, context->recursion_of == PROFILE_NONE || !context->n_runs,
		   "a recursive context executes something");
}

static void check_depth(struct io *io, const struct tree *tree, uint32_t i)
{
	uint32_t parent = tree->region->contexts[i].parent;

	if (!io->is_reading)
		return;
	tree->depths[i] = parent == PROFILE_NONE ? 0 : (uint16_t)(tree->depths[parent] + 1);
	io_require(io, tree->depths[i] < PROFILE_MAX_CALL_DEPTH, "its call tree is too deep");
}

/* A report walks all instructions of a run. Therefore each of them counts as memory. */
static void subtract_executions(struct io *io, const struct tree *tree, const struct profile_context_run *run)
{
	if (!io->is_reading || io->problem || !io_charge(io, run->n_insns, sizeof(uint64_t)))
		return;
	for (uint32_t i = run->first; i < run->first + run->n_insns; i++) {
		io_require(io, run->executions <= tree->remaining[i], "a call tree executes more than its region");
		tree->remaining[i] -= run->executions;
	}
}

static void serialize_run(struct io *io, const struct tree *tree, struct profile_context_run *run, uint32_t next,
			  bool is_first)
{
	size_t n_counts = tree->region->n_counts;

	IO_VALID_INDEX(io, COLUMN_RUN_FIRST, run->first, next, n_counts);
	io_require(io, is_first || run->first >= next, "the runs of a context are not in order");
	if (io->problem)
		return;
	IO_UINT(io, COLUMN_RUN_LENGTH, run->n_insns, n_counts - run->first);
	IO_COUNT(io, COLUMN_RUN_EXECUTIONS, run->executions);
	io_require(io, run->n_insns > 0 && run->executions > 0, "a run executes nothing");
	subtract_executions(io, tree, run);
}

static void serialize_context_run(struct io *io, const struct tree *tree, struct profile_context *context,
				  size_t *n_runs)
{
	struct profile_context_run *runs = tree->region->context_runs;
	uint32_t next = context->entry;

	io_require(io, io->is_reading || context->first_run == *n_runs, "runs are not in order");
	io_require(io, context->n_runs <= tree->region->n_context_runs - *n_runs, "a number is out of range");
	context->first_run = *n_runs;
	for (size_t i = 0; i < context->n_runs && !io->problem; i++) {
		struct profile_context_run *run = &runs[context->first_run + i];

		serialize_run(io, tree, run, next, i == 0);
		next = run->first + run->n_insns;
	}
	*n_runs += context->n_runs;
}

static void serialize_tree(struct io *io, struct tree *tree)
{
	struct profile_region *region = tree->region;
	size_t n_runs = 0;

	for (uint32_t i = 0; i < region->n_contexts && !io->problem; i++) {
		serialize_context(io, tree, i);
		check_depth(io, tree, i);
		if (!io->problem)
			serialize_context_run(io, tree, &region->contexts[i], &n_runs);
	}
	io_require(io, io->problem || n_runs == region->n_context_runs, "a run belongs to no context");
	for (size_t i = 0; i < region->n_counts && io->is_reading && !io->problem; i++)
		io_require(io, tree->remaining[i] == 0, "a call tree executes less than its region");
}

static void serialize_syscall_site(struct io *io, const struct tree *tree, struct profile_syscall_site *site,
				   uint32_t context)
{
	IO_VALID_INDEX(io, COLUMN_SYSCALL_SITES, site->context, context, tree->region->n_contexts);
	IO_VALID_INDEX(io, COLUMN_SYSCALL_SITES, site->insn, 0, tree->profile->n_insns);
	IO_VALID_INDEX(io, COLUMN_SYSCALL_SITES, site->syscall, 0, tree->region->n_syscalls);
	IO_COUNT(io, COLUMN_SYSCALL_SITES, site->count);
}

/* Adds to a sum over a region. A sum that overflows is a problem. */
static void add_amount(struct io *io, uint64_t *total, uint64_t amount)
{
	io_require(io, amount <= INT64_MAX - *total, "its allocations are too large");
	*total += io->problem ? 0 : amount;
}

static void serialize_allocation(struct io *io, const struct tree *tree, struct profile_allocation *allocation,
				 uint32_t context, uint64_t *total)
{
	IO_VALID_INDEX(io, COLUMN_ALLOCATIONS, allocation->context, context, tree->region->n_contexts);
	IO_VALID_INDEX(io, COLUMN_ALLOCATIONS, allocation->insn, 0, tree->profile->n_insns);
	IO_UINT(io, COLUMN_ALLOCATIONS, allocation->allocator, N_ALLOCATORS - 1);
	IO_COUNT(io, COLUMN_ALLOCATIONS, allocation->calls);
	IO_COUNT(io, COLUMN_ALLOCATIONS, allocation->bytes);
	IO_COUNT(io, COLUMN_ALLOCATIONS, allocation->kept_calls);
	IO_COUNT(io, COLUMN_ALLOCATIONS, allocation->kept_bytes);
	add_amount(io, total, allocation->calls);
	add_amount(io, total, allocation->bytes);
	add_amount(io, total, allocation->kept_calls);
	add_amount(io, total, allocation->kept_bytes);
}

void content_serialize_calls(struct io *io, const struct profile *profile, struct profile_region *region)
{
	struct tree tree = {.profile = profile, .region = region};
	uint64_t total = 0;

	IO_ROWS(io, COLUMN_REGIONS, region, contexts);
	IO_ROWS(io, COLUMN_REGIONS, region, context_runs);
	if (io->is_reading && io_charge(io, region->n_contexts + 4 * region->n_counts + 1, sizeof(*tree.depths))) {
		tree.depths = xcalloc(region->n_contexts, sizeof(*tree.depths));
		tree.remaining = xcalloc(region->n_counts, sizeof(*tree.remaining));
		if (region->n_counts > 0)
			memcpy(tree.remaining, region->executions, region->n_counts * sizeof(*tree.remaining));
	}
	serialize_tree(io, &tree);
	free(tree.depths);
	free(tree.remaining);
	IO_ROWS(io, COLUMN_REGIONS, region, syscall_sites);
	for (size_t i = 0; i < region->n_syscall_sites && !io->problem; i++)
		serialize_syscall_site(io, &tree, &region->syscall_sites[i],
				       i > 0 ? region->syscall_sites[i - 1].context : 0);
	IO_ROWS(io, COLUMN_REGIONS, region, allocations);
	for (size_t i = 0; i < region->n_allocations && !io->problem; i++)
		serialize_allocation(io, &tree, &region->allocations[i], i > 0 ? region->allocations[i - 1].context : 0,
				     &total);
	if (io->is_reading)
		profile_sort_call_sites(region);
}
