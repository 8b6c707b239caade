#include "sampler/memory_map.h"

#include <stdlib.h>

#include "base/array.h"

void memory_map_add(struct memory_map *map, const struct mapping *mapping, struct sampling *sampling)
{
	*ARRAY_ADD(map, ranges) = (struct memory_range){
		.start_va = mapping->start_va,
		.end_va = mapping->end_va,
		.offset_bytes = mapping->offset_bytes,
		.module = sampling_intern_module(sampling, mapping->path),
	};
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

bool memory_map_locate(const struct memory_map *map, struct sample *sample)
{
	const struct memory_range *range = memory_map_find(map, sample->va);

	if (!range)
		return false;
	sample->module = range->module;
	sample->offset_bytes = sample->va - range->start_va + range->offset_bytes;
	return true;
}
