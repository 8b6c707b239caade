#include <stdlib.h>

#include "analysis/charges.h"
#include "base/array.h"

/* The first allocation of a call site, or n_allocations: they ascend by context and instruction. */
static size_t find_allocation(const struct profile_region *region, uint32_t context, uint32_t insn)
{
	const struct profile_allocation *all = region->allocations;
	size_t n = region->n_allocations;
	size_t found = ARRAY_SEARCH(n, i,
				    all[i].context < context || (all[i].context == context && all[i].insn < insn));

	return found < n && all[found].context == context && all[found].insn == insn ? found : n;
}

static struct charge_memory *get_row(struct charges *charges, uint32_t row, enum profile_allocator allocator)
{
	struct charge_memory *memory;

	for (size_t i = 0; i < charges->n_memory; i++)
		if (charges->memory[i].row == row && charges->memory[i].allocator == allocator)
			return &charges->memory[i];
	memory = ARRAY_ADD(charges, memory);
	memory->row = row;
	memory->allocator = allocator;
	memory->figures = xcalloc(charges->width, sizeof(*memory->figures));
	return memory;
}

static bool is_stub(const struct profile *profile, uint32_t insn)
{
	uint32_t function = profile->insns[insn].function;

	return function != PROFILE_NONE && profile_function_is_stub(profile, function);
}

/* What runs from the call of an allocator until it returns is the allocator's. */
static void add_costs(const struct charges *charges, const struct call_tree *tree, const uint32_t *rows_of_allocations)
{
	const struct profile_region *region = charges->region;

	for (size_t i = 0; i < region->n_contexts; i++) {
		const struct profile_context *context = &region->contexts[i];
		size_t found;

		if (context->parent == PROFILE_NONE || is_stub(charges->profile, context->entry))
			continue;
		found = find_allocation(region, context->parent, context->site);
		/* System calls call nothing that is counted. */
		if (found < region->n_allocations && region->allocations[found].allocator >= ALLOCATOR_MMAP)
			continue;
		if (found < region->n_allocations)
			cost_add(charges->memory[rows_of_allocations[found]].figures, call_tree_inclusive(tree, i),
				 charges->n_models);
	}
}

static uint64_t scale_up(uint64_t sum, uint64_t part, uint64_t bytes)
{
	return (uint64_t)(((unsigned __int128)sum * part + bytes - 1) / bytes);
}

/* In proportion to the bytes, as the time of a garbage collector was shared out by who had allocated. */
static void share(struct charges *charges)
{
	uint64_t *sums = xcalloc(charges->width, sizeof(*sums));
	uint64_t bytes = 0, before = 0;

	for (size_t i = 0; i < charges->n_memory; i++) {
		if (charges->memory[i].allocator < ALLOCATOR_FREE)
			bytes += charges->memory[i].bytes;
		cost_add(sums, charges->memory[i].figures, charges->n_models);
	}
	for (size_t i = 0; bytes > 0 && i < charges->n_memory; i++) {
		struct charge_memory *memory = &charges->memory[i];
		uint64_t own = memory->allocator < ALLOCATOR_FREE ? memory->bytes : 0, after = before + own;

		for (size_t k = 0; k < charges->width; k++)
			memory->figures[k] = cost_part(sums[k], after, bytes) - cost_part(sums[k], before, bytes);
		/* However little of a share has no figure, it must be told. */
		for (size_t k = COST_CYCLES + charges->n_models; k < charges->width; k++)
			memory->figures[k] = scale_up(sums[k], own, bytes);
		before = after;
	}
	free(sums);
}

void charges_add_memory(struct charges *charges, const struct call_tree *tree, bool share_by_bytes,
			uint32_t (*row_of)(struct charges *charges, uint32_t context, uint32_t insn))
{
	const struct profile_region *region = charges->region;
	uint32_t *rows_of_allocations = xcalloc(region->n_allocations, sizeof(*rows_of_allocations));

	for (size_t i = 0; i < region->n_allocations; i++) {
		const struct profile_allocation *allocation = &region->allocations[i];
		struct charge_memory *memory = get_row(charges, row_of(charges, allocation->context, allocation->insn),
						       allocation->allocator);

		rows_of_allocations[i] = (uint32_t)(memory - charges->memory);
		memory->calls += allocation->calls;
		memory->bytes += allocation->bytes;
		memory->kept_calls += allocation->kept_calls;
		memory->kept_bytes += allocation->kept_bytes;
	}
	add_costs(charges, tree, rows_of_allocations);
	if (share_by_bytes)
		share(charges);
	free(rows_of_allocations);
}

int charges_compare_memory(const void *left, const void *right)
{
	const struct charge_memory *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (int)a->allocator - (int)b->allocator;
}
