#include "sampler/memory_map.h"

#include <stdlib.h>

#include "base/array.h"

void memory_map_add(struct memory_map *map, const struct memory_range *range)
{
	*ARRAY_ADD(map, ranges) = *range;
}

void memory_map_clear(struct memory_map *map)
{
	map->n_ranges = 0;
}

void memory_map_deinit(struct memory_map *map)
{
	free(map->ranges);
	*map = (struct memory_map){0};
}

const struct memory_range *memory_map_find(const struct memory_map *map, uint64_t va)
{
	for (size_t i = map->n_ranges; i-- > 0;)
		if (va >= map->ranges[i].start_va && va < map->ranges[i].end_va)
			return &map->ranges[i];
	return NULL;
}
