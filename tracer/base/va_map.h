/* A map from addresses to small numbers, by open addressing. A single key cannot be deleted. All zero when empty. */
#ifndef ITRACE_BASE_VA_MAP_H
#define ITRACE_BASE_VA_MAP_H

#include <stddef.h>
#include <stdint.h>

#define VA_MAP_NONE UINT32_MAX

struct va_map_slot {
	uint64_t va;
	uint32_t value_plus_1; /* 0: the slot is free */
};

struct va_map {
	struct va_map_slot *slots; /* [n_slots], a power of two; NULL while empty */
	size_t n_slots, n_used;
};

void va_map_deinit(struct va_map *map);

/* Forgets all keys and keeps the memory. */
void va_map_clear(struct va_map *map);

/* Makes room for n_keys keys in an empty map. */
void va_map_reserve(struct va_map *map, size_t n_keys);

/* Adds the key, or replaces its value, which is not VA_MAP_NONE. */
void va_map_set(struct va_map *map, uint64_t va, uint32_t value);

/* Returns the slot of the key. Adds the key if needed; its value_plus_1 is then 0, and the caller sets it at once. The
 * slot is valid until a key is added. */
struct va_map_slot *va_map_at(struct va_map *map, uint64_t va);

/* The value of a key, or VA_MAP_NONE. */
uint32_t va_map_get(const struct va_map *map, uint64_t va);

#endif
