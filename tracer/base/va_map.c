#include "base/va_map.h"

#include "base/array.h"

enum { FIRST_SLOTS = 256 };

static struct va_map_slot *find(const struct va_map *map, uint64_t va)
{
	size_t mask = map->n_slots - 1;
	/* Fibonacci hashing (Knuth, TAOCP vol. 3, 6.4) of va / 16. The low bits of va keep neighbouring addresses,
	 * which are often looked up in a row, in one cache line. */
	size_t i = (size_t)((va >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32 << 3 | (va >> 1 & 7)) & mask;

	while (map->slots[i].value_plus_1 && map->slots[i].va != va)
		i = (i + 1) & mask;
	return &map->slots[i];
}

void va_map_clear(struct va_map *map)
{
	if (map->n_used)
		memset(map->slots, 0, map->n_slots * sizeof(*map->slots));
	map->n_used = 0;
}

void va_map_deinit(struct va_map *map)
{
	table_destroy(map->slots, map->n_slots * sizeof(*map->slots));
	*map = (struct va_map){0};
}

void va_map_reserve(struct va_map *map, size_t n_keys)
{
	map->n_slots = FIRST_SLOTS;
	while (map->n_slots <= n_keys * 2)
		map->n_slots *= 2;
	map->slots = table_create(map->n_slots * sizeof(*map->slots));
}

static void grow(struct va_map *map)
{
	struct va_map old = *map;

	map->n_slots = old.n_slots ? old.n_slots * 2 : FIRST_SLOTS;
	map->slots = table_create(map->n_slots * sizeof(*map->slots));
	for (size_t i = 0; i < old.n_slots; i++)
		if (old.slots[i].value_plus_1)
			*find(map, old.slots[i].va) = old.slots[i];
	va_map_deinit(&old);
}

struct va_map_slot *va_map_at(struct va_map *map, uint64_t va)
{
	struct va_map_slot *slot;

	if (map->n_used * 2 >= map->n_slots)
		grow(map);
	slot = find(map, va);
	map->n_used += !slot->value_plus_1;
	slot->va = va;
	return slot;
}

void va_map_set(struct va_map *map, uint64_t va, uint32_t value)
{
	va_map_at(map, va)->value_plus_1 = value + 1;
}

uint32_t va_map_get(const struct va_map *map, uint64_t va)
{
	return map->n_used ? find(map, va)->value_plus_1 - 1 : VA_MAP_NONE;
}
