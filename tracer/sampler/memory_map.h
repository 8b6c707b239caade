/* The mappings of a program, as they change while it runs. */
#ifndef ITRACE_SAMPLER_MEMORY_MAP_H
#define ITRACE_SAMPLER_MEMORY_MAP_H

#include "profile/sampling.h"
#include "target/target.h"

struct memory_range {
	uint64_t start_va, end_va;
	uint64_t offset_bytes; /* of start_va in the module's file */
	uint32_t module;
};

struct memory_map {
	struct memory_range *ranges; /* later ranges hide earlier ones */
	size_t n_ranges, ranges_capacity;
};

/* Adds a mapping on top of all others, and its path to the sampling's modules. The kernel reports no unmapping, so a
 * range stays until others cover it. */
void memory_map_add(struct memory_map *map, const struct mapping *mapping, struct sampling *sampling);
void memory_map_clear(struct memory_map *map); /* when the program executes another one */
void memory_map_deinit(struct memory_map *map);

/* Returns the topmost range that contains va, or NULL. */
const struct memory_range *memory_map_find(const struct memory_map *map, uint64_t va);

/* Sets the module of a sample and the offset in it. Returns false if no range contains the sample's va. */
bool memory_map_locate(const struct memory_map *map, struct sample *sample);

#endif
