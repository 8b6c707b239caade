#include "analysis/charges_private.h"

#include <stdlib.h>

#include "analysis/user_code.h"
#include "base/array.h"

/* Returns the first allocation of a call site, or n_allocations. Allocations are sorted by context and instruction. */
static size_t find_allocation(const struct profile_region *region, uint32_t context, uint32_t insn)
{
	const struct profile_allocation *all = region->allocations;
	size_t n = region->n_allocations;
	size_t found = ARRAY_SEARCH(n, i,
				    all[i].context < context || (all[i].context == context && all[i].insn < insn));

	return found < n && all[found].context == context && all[found].insn == insn ? found : n;
}

static struct charge_memory *find_or_add_charge_memory(struct charges *charges, uint32_t row,
						       enum profile_allocator allocator)
{
	struct charge_memory *memory;

	for (size_t i = 0; i < charges->n_memory; i++)
		if (charges->memory[i].row == row && charges->memory[i].allocator == allocator)
			return &charges->memory[i];
	memory = ARRAY_ADD(charges, memory);
	memory->row = row;
	memory->allocator = allocator;
	memory->costs = xcalloc(charges->width, sizeof(*memory->costs));
	return memory;
}

/* An allocator's cost is the inclusive cost of the context that its call site calls. */
static void add_costs(const struct charges *charges, const struct call_tree *tree, const uint32_t *memory_of)
{
	const struct profile_region *region = charges->costed.region;

	for (size_t i = 0; i < region->n_contexts; i++) {
		const struct profile_context *context = &region->contexts[i];
		size_t found;

		if (context->parent == PROFILE_NONE || user_code_is_stub(charges->costed.profile, context->entry))
			continue;
		found = find_allocation(region, context->parent, context->site);
		/* A system call executes no instructions of the program. */
		if (found < region->n_allocations && region->allocations[found].allocator < ALLOCATOR_MMAP)
			cost_add(charges->memory[memory_of[found]].costs, call_tree_inclusive(tree, i),
				 charges->costed.n_models);
	}
}

static uint64_t part_rounded_up(uint64_t sum, uint64_t part, uint64_t bytes)
{
	return (uint64_t)(((unsigned __int128)sum * part + bytes - 1) / bytes);
}

/* Distributes the cost of all allocators in proportion to the bytes that each row allocated. */
static void share_by_bytes(struct charges *charges)
{
	uint64_t *sums = xcalloc(charges->width, sizeof(*sums));
	uint64_t bytes = 0, before = 0;

	for (size_t i = 0; i < charges->n_memory; i++) {
		if (charges->memory[i].allocator < ALLOCATOR_FREE)
			bytes += charges->memory[i].bytes;
		cost_add(sums, charges->memory[i].costs, charges->costed.n_models);
	}
	for (size_t i = 0; bytes > 0 && i < charges->n_memory; i++) {
		struct charge_memory *memory = &charges->memory[i];
		uint64_t own = memory->allocator < ALLOCATOR_FREE ? memory->bytes : 0, after = before + own;

		for (size_t k = 0; k < charges->width; k++)
			memory->costs[k] = cost_part(sums[k], after, bytes) - cost_part(sums[k], before, bytes);
		/* Counts of executions without a cost, and of those costed as a related form, are rounded up, so that
		 * none becomes 0 by rounding. */
		for (size_t k = COST_CYCLES + charges->costed.n_models; k < charges->width; k++)
			memory->costs[k] = part_rounded_up(sums[k], own, bytes);
		before = after;
	}
	free(sums);
}

void charges_add_memory(struct charges *charges, const struct call_tree *tree, const uint32_t *rows,
			bool wants_share_by_bytes)
{
	const struct profile_region *region = charges->costed.region;
	uint32_t *memory_of = xcalloc(region->n_allocations, sizeof(*memory_of)); /* index in charges->memory */

	for (size_t i = 0; i < region->n_allocations; i++) {
		const struct profile_allocation *allocation = &region->allocations[i];
		struct charge_memory *memory = find_or_add_charge_memory(charges, rows[i], allocation->allocator);

		memory_of[i] = (uint32_t)(memory - charges->memory);
		memory->calls += allocation->calls;
		memory->bytes += allocation->bytes;
		memory->kept_calls += allocation->kept_calls;
		memory->kept_bytes += allocation->kept_bytes;
	}
	add_costs(charges, tree, memory_of);
	if (wants_share_by_bytes)
		share_by_bytes(charges);
	free(memory_of);
}
