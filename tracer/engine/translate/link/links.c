#include "engine/translate/link/links.h"

#include <stdlib.h>

#include "base/array.h"
#include "engine/translate/emit/emitter.h"
#include "engine/translate/emit/encode.h"

void links_deinit(struct links *links)
{
	free(links->links);
	free(links->far_jumps);
	for (size_t i = 0; i < ZONES_MAX; i++)
		va_map_deinit(&links->far_jump_to[i]);
}

void links_clear(struct links *links)
{
	links->n_links = links->n_far_jumps = 0;
	for (size_t i = 0; i < ZONES_MAX; i++)
		va_map_clear(&links->far_jump_to[i]);
}

/* Emits a jump to any address into a zone. Returns its address. */
static uint64_t emit_far_jump(struct translator *translator, struct zone *zone, uint64_t to_va)
{
	struct zone *emitting = translator->emitter.zone;
	uint64_t jump_va;

	translator->emitter.zone = zone;
	jump_va = emit_begin_fragment(translator, 0)->entry_va;
	emit_plain_state(translator);
	EMIT(zone, 0xff, 0x25, 0, 0, 0, 0); /* jmp [rip + 0] */
	emit_absolute(translator, zone, ABSOLUTE_CACHE_VA, to_va);
	translator->emitter.zone = emitting;
	return jump_va;
}

/* Returns the address of a jump to to_va in the zone. */
static uint64_t far_jump(struct translator *translator, struct zone *zone, uint64_t to_va)
{
	struct links *links = &translator->links;
	struct va_map *known = &links->far_jump_to[zone - translator->cache.zones];
	uint32_t i = va_map_get(known, to_va);

	if (i == VA_MAP_NONE) {
		i = (uint32_t)links->n_far_jumps;
		*ARRAY_ADD(links, far_jumps) = (struct far_jump){.va = emit_far_jump(translator, zone, to_va),
								 .to_va = to_va};
		va_map_set(known, to_va, i);
	}
	return links->far_jumps[i].va;
}

void links_patch(struct translator *translator, uint64_t patch_va, uint64_t to_va)
{
	struct zone *zone = cache_find_zone(&translator->cache, patch_va);
	int64_t displacement = (int64_t)(to_va - (patch_va + 4));

	if (displacement != (int32_t)displacement)
		displacement = (int64_t)(far_jump(translator, zone, to_va) - (patch_va + 4));
	patch_32(zone_bytes(zone, patch_va), (int32_t)displacement);
}

void links_add(struct translator *translator, uint64_t patch_va, uint64_t va)
{
	struct address *to = addresses_at(&translator->addresses, va);

	*ARRAY_ADD(&translator->links, links) = (struct link){.patch_va = patch_va, .next = to->link};
	to->link = (uint32_t)(translator->links.n_links - 1);
}

void links_resolve(struct translator *translator, uint64_t va, uint64_t entry_va)
{
	const struct address *to = addresses_find(&translator->addresses, va);

	for (uint32_t i = to ? to->link : VA_MAP_NONE; i != VA_MAP_NONE; i = translator->links.links[i].next)
		links_patch(translator, translator->links.links[i].patch_va, entry_va);
}
