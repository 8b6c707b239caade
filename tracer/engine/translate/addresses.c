#include "engine/translate/addresses.h"

#include <stdlib.h>

#include "base/array.h"

void addresses_deinit(struct addresses *addresses)
{
	va_map_deinit(&addresses->index);
	free(addresses->list);
	*addresses = (struct addresses){0};
}

void addresses_clear(struct addresses *addresses)
{
	va_map_clear(&addresses->index);
	addresses->n_list = 0;
}

const struct address *addresses_find(const struct addresses *addresses, uint64_t va)
{
	uint32_t i = va_map_get(&addresses->index, va);

	return i == VA_MAP_NONE ? NULL : &addresses->list[i];
}

struct address *addresses_at(struct addresses *addresses, uint64_t va)
{
	uint32_t i = va_map_get(&addresses->index, va);
	struct address *added;

	if (i != VA_MAP_NONE)
		return &addresses->list[i];
	va_map_set(&addresses->index, va, (uint32_t)addresses->n_list);
	added = ARRAY_ADD(addresses, list);
	*added = (struct address){.fragment = VA_MAP_NONE,
				  .link = VA_MAP_NONE,
				  .ibl_target = VA_MAP_NONE,
				  .flags_live = FLAGS_UNKNOWN};
	return added;
}

void addresses_forget_flags(struct addresses *addresses)
{
	for (size_t i = 0; i < addresses->n_list; i++)
		addresses->list[i].flags_live = FLAGS_UNKNOWN;
}
