#include "base/va_map.h"

#include <stdlib.h>

#include "base/array.h"

enum { FIRST_SLOTS = 256 };

static struct va_map_slot *find(const struct va_map *map, uint64_t va)
{
	size_t mask = map->n_slots - 1;
	/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
	/* Neighbouring addresses are looked up in succession, so they share a cache line. */
	size_t i = (size_t)((va >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32 << 3 | (va >> 1 & 7)) & mask;

	while (map->slots[i].value != VA_MAP_NONE && map->slots[i].va != va)
		i = (i + 1) & mask;
	return &map->slots[i];
}

void va_map_clear(struct va_map *map)
{
	for (size_t i = 0; i < map->n_slots; i++)
		map->slots[i].value = VA_MAP_NONE;
	map->n_used = 0;
}

static void make_slots(struct va_map *map, size_t n_slots)
{
	map->n_slots = n_slots;
	map->slots = xcalloc(n_slots, sizeof(*map->slots));
	va_map_clear(map);
}

void va_map_deinit(struct va_map *map)
{
	free(map->slots);
	*map = (struct va_map){0};
}

void va_map_set(struct va_map *map, uint64_t va, uint32_t value)
{
	struct va_map_slot *slot;

	if (map->n_used * 2 >= map->n_slots) {
		struct va_map_slot *old = map->slots;
		size_t n_old = map->n_slots, n_used = map->n_used;

		make_slots(map, n_old ? n_old * 2 : FIRST_SLOTS);
		map->n_used = n_used;
		for (size_t i = 0; i < n_old; i++)
			if (old[i].value != VA_MAP_NONE)
				*find(map, old[i].va) = old[i];
		free(old);
	}
	slot = find(map, va);
	map->n_used += slot->value == VA_MAP_NONE;
	*slot = (struct va_map_slot){.va = va, .value = value};
}

uint32_t va_map_get(const struct va_map *map, uint64_t va)
{
	return map->n_slots ? find(map, va)->value : VA_MAP_NONE;
}
