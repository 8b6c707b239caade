#include "engine/translate/addresses.h"

#include <string.h>

#include "base/array.h"

enum { FIRST_SLOTS = 1 << 16 }; /* two megabytes: one huge page */

static struct address *find(const struct addresses *addresses, uint64_t va)
{
	size_t mask = addresses->n_slots - 1;
	/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
	/* Neighbours are asked for one after the other: they lie in the same page, and share lines of the processor's cache. */
	size_t i = (size_t)((va >> 6) * UINT64_C(0x9e3779b97f4a7c15) >> 32 << 4 | (va >> 2 & 15)) & mask;

	while (addresses->slots[i].is_used && addresses->slots[i].va != va)
		i = (i + 1) & mask;
	return &addresses->slots[i];
}

static size_t n_bytes(const struct addresses *addresses)
{
	return addresses->n_slots * sizeof(*addresses->slots);
}

void addresses_deinit(struct addresses *addresses)
{
	table_destroy(addresses->slots, n_bytes(addresses));
	*addresses = (struct addresses){0};
}

void addresses_clear(struct addresses *addresses)
{
	if (addresses->n_used)
		memset(addresses->slots, 0, n_bytes(addresses));
	addresses->n_used = 0;
}

static void grow(struct addresses *addresses)
{
	struct addresses old = *addresses;

	addresses->n_slots = old.n_slots ? old.n_slots * 2 : FIRST_SLOTS;
	addresses->slots = table_create(n_bytes(addresses));
	for (size_t i = 0; i < old.n_slots; i++)
		if (old.slots[i].is_used)
			*find(addresses, old.slots[i].va) = old.slots[i];
	addresses_deinit(&old);
}

const struct address *addresses_find(const struct addresses *addresses, uint64_t va)
{
	const struct address *found = addresses->n_used ? find(addresses, va) : NULL;

	return found && found->is_used ? found : NULL;
}

struct address *addresses_at(struct addresses *addresses, uint64_t va)
{
	struct address *found;

	if (addresses->n_used * 2 >= addresses->n_slots)
		grow(addresses);
	found = find(addresses, va);
	if (!found->is_used) {
		addresses->n_used++;
		*found = (struct address){.va = va,
					  .block = VA_MAP_NONE,
					  .link = VA_MAP_NONE,
					  .landing = VA_MAP_NONE,
					  .flags_live = FLAGS_UNKNOWN,
					  .is_used = true};
	}
	return found;
}

void addresses_forget_flags(struct addresses *addresses)
{
	for (size_t i = 0; i < addresses->n_slots; i++)
		addresses->slots[i].flags_live = FLAGS_UNKNOWN;
}
