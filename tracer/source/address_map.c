#include "source/address_map.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"

void address_map_add(struct address_map *map, const struct address_range *range)
{
	if (range->start_va < range->end_va)
		*ARRAY_ADD(map, ranges) = *range;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct address_range *a = left, *b = right;

	return ORDER(a->start_va, b->start_va) ?: ORDER(a->depth, b->depth) ?: ORDER(b->end_va, a->end_va)
	       ?: ORDER(a->id, b->id);
}

static void begin_part(struct address_map *map, uint64_t start_va, uint32_t id)
{
	if (map->n_parts > 0 && map->parts[map->n_parts - 1].start_va == start_va)
		map->n_parts--;
	*ARRAY_ADD(map, parts) = (struct address_part){start_va, id};
}

/* The ranges that hold the current address; the innermost is on top. */
struct sweep {
	struct address_map *map;
	const struct address_range **stack; /* [n_ranges] */
	size_t depth;
};

/* Ends the ranges that end at or before va. The next outer range continues there if it reaches further. */
static void leave_until(struct sweep *sweep, uint64_t va)
{
	while (sweep->depth > 0 && sweep->stack[sweep->depth - 1]->end_va <= va) {
		uint64_t end_va = sweep->stack[--sweep->depth]->end_va;

		while (sweep->depth > 0 && sweep->stack[sweep->depth - 1]->end_va <= end_va)
			sweep->depth--;
		begin_part(sweep->map, end_va, sweep->depth > 0 ? sweep->stack[sweep->depth - 1]->id : ADDRESS_NONE);
	}
}

void address_map_arrange(struct address_map *map)
{
	struct sweep sweep = {.map = map, .stack = xcalloc(map->n_ranges, sizeof(*sweep.stack))};

	if (map->n_ranges > 0)
		qsort(map->ranges, map->n_ranges, sizeof(*map->ranges), compare_ranges);
	for (size_t i = 0; i < map->n_ranges; i++) {
		leave_until(&sweep, map->ranges[i].start_va);
		begin_part(map, map->ranges[i].start_va, map->ranges[i].id);
		sweep.stack[sweep.depth++] = &map->ranges[i];
	}
	leave_until(&sweep, UINT64_MAX);
	free(sweep.stack);
	free(map->ranges);
	map->ranges = NULL;
	map->n_ranges = map->ranges_capacity = 0;
}

void address_map_deinit(struct address_map *map)
{
	free(map->ranges);
	free(map->parts);
	*map = (struct address_map){0};
}

uint32_t address_map_find(const struct address_map *map, uint64_t va)
{
	size_t n_before = ARRAY_SEARCH(map->n_parts, i, map->parts[i].start_va <= va);

	return n_before > 0 ? map->parts[n_before - 1].id : ADDRESS_NONE;
}
