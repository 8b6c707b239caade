#include "engine/translate/internal.h"

#include "base/array.h"
#include "engine/translate/emit.h"

struct block *add_block(struct translator *translator, uint64_t va)
{
	size_t zone = (size_t)(translator->zone - translator->cache.zones);
	struct block *block = ARRAY_ADD(translator, blocks);

	translator->zone_blocks[zone] = array_reserve(translator->zone_blocks[zone],
						      &translator->zone_blocks_capacity[zone],
						      translator->n_zone_blocks[zone] + 1, sizeof(uint32_t));
	translator->zone_blocks[zone][translator->n_zone_blocks[zone]++] = (uint32_t)(translator->n_blocks - 1);
	*block = (struct block){.va = va,
				.end_va = va,
				.entry_va = emit_va(translator->zone),
				.counted_va = UINT64_MAX,
				.logged_va = UINT64_MAX,
				.arm = COUNTER_NONE,
				.site = SITE_NONE,
				.first_point = (uint32_t)translator->n_points};
	return block;
}

uint32_t add_exit(struct translator *translator, uint64_t at_va, struct exit exit)
{
	uint32_t index = (uint32_t)translator->n_exits;

	*ARRAY_ADD(translator, exits) = exit;
	va_map_set(&translator->exit_at, at_va, index);
	return index;
}

void link_branch(struct translator *translator, uint64_t patch_va, uint64_t to_va)
{
	struct zone *zone = cache_find_zone(&translator->cache, patch_va);
	int64_t displacement = (int64_t)(to_va - (patch_va + 4));
	int32_t narrow;

	if (displacement != (int32_t)displacement) {
		struct zone *emitting = translator->zone;
		struct block *far;

		/* The next zone is too far away for a displacement. */
		translator->zone = zone;
		far = add_block(translator, 0);
		*ARRAY_ADD(translator, points) = (struct point){.offset = (uint32_t)zone->n_used,
								.kind = POINT_FORWARD};
		displacement = (int64_t)(far->entry_va - (patch_va + 4));
		EMIT(zone, 0xff, 0x25, 0, 0, 0, 0); /* jmp [rip + 0] */
		emit_64(zone, to_va);
		translator->zone = emitting;
	}
	narrow = (int32_t)displacement;
	memcpy(zone->bytes + (patch_va - zone->va), &narrow, sizeof(narrow));
}

void link_waiting(struct translator *translator, uint64_t va, uint64_t entry_va)
{
	uint32_t i = va_map_get(&translator->waiting, va);

	if (i == VA_MAP_NONE || i == EXIT_LAST)
		return;
	for (; i != EXIT_LAST; i = translator->exits[i].next)
		link_branch(translator, translator->exits[i].patch_va, entry_va);
	va_map_set(&translator->waiting, va, EXIT_LAST);
}

static uint64_t *table(const struct translator *translator)
{
	return cache_word(&translator->cache, translator->wants_edges ? AREA_SITE_TABLE : AREA_TABLE);
}

/* Landings with the same place in the table stand in line: each that is not meant leads to the next. */
void register_landing(struct translator *translator, uint64_t va, uint32_t site, uint64_t landing_va,
		      struct landing landing)
{
	uint32_t slot = (uint32_t)(va % TABLE_ENTRIES) + site, i = (uint32_t)translator->n_landings;
	uint32_t former = translator->last_landing[slot];

	*ARRAY_ADD(translator, landings) = landing;
	if (former == VA_MAP_NONE)
		table(translator)[slot] = landing_va;
	else
		link_branch(translator, translator->landings[former].patch_va, landing_va);
	link_branch(translator, landing.patch_va, translator->missed_va);
	translator->last_landing[slot] = i;
	va_map_set(&translator->landing_at, landing_key(va, site), i);
}

void make_miss(struct translator *translator)
{
	struct zone *zone = translator->zone;
	uint64_t miss_va = emit_va(zone);

	add_block(translator, 0);
	*ARRAY_ADD(translator, points) = (struct point){.offset = (uint32_t)zone->n_used, .kind = POINT_FORWARD};
	translator->missed_va = emit_va(zone);
	add_exit(translator, translator->missed_va, (struct exit){.kind = EXIT_INDIRECT, .r11_is_away = true});
	EMIT(zone, 0xcc);
	for (size_t i = 0; i < translator->n_table_entries; i++)
		table(translator)[i] = miss_va;
}
