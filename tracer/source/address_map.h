/* Finds the innermost of nested address ranges. */
#ifndef ITRACE_SOURCE_ADDRESS_MAP_H
#define ITRACE_SOURCE_ADDRESS_MAP_H

#include <stddef.h>
#include <stdint.h>

#define ADDRESS_NONE UINT32_MAX

struct address_range {
	uint64_t start_va, end_va; /* one past the last byte */
	uint32_t id;		   /* assigned by the caller */
	uint32_t depth;		   /* of ranges with the same start, the deepest is the innermost */
};

struct address_part { /* a part ends where the next part begins */
	uint64_t start_va;
	uint32_t id; /* or ADDRESS_NONE */
};

/* The caller zeroes the struct. address_map_add() adds ranges. After address_map_arrange() the map can only be
 * searched. */
struct address_map {
	struct address_range *ranges;
	size_t n_ranges, ranges_capacity;
	struct address_part *parts; /* ascending */
	size_t n_parts, parts_capacity;
};

void address_map_add(struct address_map *map, const struct address_range *range); /* ignores an empty range */
void address_map_arrange(struct address_map *map);
void address_map_deinit(struct address_map *map);

/* Returns the id of the innermost range that contains va, or ADDRESS_NONE. */
uint32_t address_map_find(const struct address_map *map, uint64_t va);

#endif
