#include "engine/translate/translator.h"

#include <assert.h>

#include "base/array.h"
#include "engine/translate/contexts/edges.h"
#include "engine/translate/emit/encode.h"

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
				.told_va = UINT64_MAX,
				.first_shape = LOG_NO_SHAPE,
				.arm = COUNTER_NONE,
				.first_point = (uint32_t)translator->n_points};
	return block;
}

void add_point(struct translator *translator, struct point point)
{
	const struct block *block = &translator->blocks[translator->n_blocks - 1];
	uint64_t offset = emit_va(translator->zone) - block->entry_va;
	size_t n_points = translator->n_points;

	assert(offset <= UINT16_MAX);
	point.offset = (uint16_t)offset;
	/* Of several at one address the last one counts. */
	if (n_points > block->first_point && translator->points[n_points - 1].offset == point.offset)
		translator->points[n_points - 1] = point;
	else
		*ARRAY_ADD(translator, points) = point;
}

void add_exit(struct translator *translator, uint64_t at_va, struct exit exit)
{
	va_map_set(&translator->exit_at, at_va, (uint32_t)translator->n_exits);
	*ARRAY_ADD(translator, exits) = exit;
}

struct block *find_block(const struct translator *translator, uint64_t va)
{
	const struct address *address = addresses_find(&translator->addresses, va);
	struct block *block;

	if (!address || address->block == VA_MAP_NONE)
		return NULL;
	block = &translator->blocks[address->block];
	return block->is_retired || block->n_suspended ? NULL : block;
}

void link_branch(struct translator *translator, uint64_t patch_va, uint64_t to_va)
{
	struct zone *zone = cache_find_zone(&translator->cache, patch_va);
	int64_t displacement = (int64_t)(to_va - (patch_va + 4));

	if (displacement != (int32_t)displacement) {
		struct zone *emitting = translator->zone;
		struct block *far;

		/* The next zone is too far away for a displacement. */
		translator->zone = zone;
		far = add_block(translator, 0);
		add_point(translator, (struct point){.kind = POINT_FORWARD});
		displacement = (int64_t)(far->entry_va - (patch_va + 4));
		EMIT(zone, 0xff, 0x25, 0, 0, 0, 0); /* jmp [rip + 0] */
		emit_64(zone, to_va);
		translator->zone = emitting;
	}
	patch_32(zone->bytes + (patch_va - zone->va), (int32_t)displacement);
}

void add_link(struct translator *translator, uint64_t patch_va, uint64_t va)
{
	struct address *to = addresses_at(&translator->addresses, va);

	*ARRAY_ADD(translator, links) = (struct link){.patch_va = patch_va, .next = to->link};
	to->link = (uint32_t)(translator->n_links - 1);
}

void link_block(struct translator *translator, uint64_t va, uint64_t entry_va)
{
	const struct address *to = addresses_find(&translator->addresses, va);

	for (uint32_t i = to ? to->link : VA_MAP_NONE; i != VA_MAP_NONE; i = translator->links[i].next)
		link_branch(translator, translator->links[i].patch_va, entry_va);
}

static uint32_t first_landing(const struct translator *translator, uint32_t slot)
{
	return translator->first_landing[slot] - 1;
}

static uint32_t last_landing(const struct translator *translator, uint32_t slot)
{
	uint32_t last = VA_MAP_NONE;

	for (uint32_t i = first_landing(translator, slot); i != VA_MAP_NONE; i = translator->landings[i].next)
		last = i;
	return last;
}

enum site_kind site_kind(const struct translator *translator, uint32_t site)
{
	enum site_kind kind = SITE_ANY;

	while (kind + 1 < N_SITE_KINDS && site >= translator->sites[kind + 1].first)
		kind++;
	return kind;
}

/* Who missed may have been given a landing already, before there is a site. */
static void fill_part(struct translator *translator, enum site_kind kind)
{
	const struct site_part *part = &translator->sites[kind];
	uint64_t *words = &cache_word(&translator->cache, AREA_TABLE)[part->first];

	for (uint32_t i = 0; i < TABLE_ENTRIES + part->n_places - 1; i++) {
		uint32_t landing = first_landing(translator, part->first + i);

		words[i] = landing == VA_MAP_NONE ? translator->miss_va[kind]
						  : translator->landings[landing].landing_va;
	}
}

/* Whether transfers lead to a part although no site of that kind is known: returns do, whoever makes them. */
static bool is_always_used(const struct translator *translator, enum site_kind kind)
{
	return kind == SITE_ANY || (kind == SITE_RECORDED && translator->wants_edges);
}

uint32_t add_site(struct translator *translator, enum site_kind kind)
{
	/* Odd, so that each site has another place; large, so that those of neighbours lie apart. */
	enum { SPREAD = 40503 };
	struct site_part *part = &translator->sites[kind];

	if (!part->n_sites && !is_always_used(translator, kind))
		fill_part(translator, kind);
	return part->first + part->n_sites++ * SPREAD % part->n_places;
}

static uint64_t miss_va(const struct translator *translator, uint32_t slot)
{
	return translator->miss_va[site_kind(translator, slot)];
}

/* Makes `next` follow on `former`, where VA_MAP_NONE stands for the table and for the end of the line. */
static void lead_on(struct translator *translator, uint32_t slot, uint32_t former, uint32_t next)
{
	const struct landing *to = next == VA_MAP_NONE ? NULL : &translator->landings[next];

	if (former == VA_MAP_NONE) {
		translator->first_landing[slot] = next + 1;
		__atomic_store_n(&cache_word(&translator->cache, AREA_TABLE)[slot],
				 to ? to->landing_va : miss_va(translator, slot), __ATOMIC_RELEASE);
	} else {
		translator->landings[former].next = next;
		link_branch(translator, translator->landings[former].patch_va,
			    to ? to->landing_va : miss_va(translator, slot));
	}
}

/* Landings with the same place in the table stand in line: each that is not meant leads to the next. Those that overwrite flags come last,
 * as theirs are the targets that do not care for flags. */
void register_landing(struct translator *translator, uint32_t site, struct landing landing)
{
	struct address *address = addresses_at(&translator->addresses, landing.va);
	uint32_t i = (uint32_t)translator->n_landings;

	landing.slot = (uint32_t)(landing.va % TABLE_ENTRIES) + site;
	landing.next = landing.keeps_flags ? first_landing(translator, landing.slot) : VA_MAP_NONE;
	landing.former = address->landing;
	address->landing = i;
	*ARRAY_ADD(translator, landings) = landing;
	lead_on(translator, landing.slot, i, landing.next);
	lead_on(translator, landing.slot, landing.keeps_flags ? VA_MAP_NONE : last_landing(translator, landing.slot),
		i);
}

static uint32_t last_landing_to(const struct translator *translator, uint64_t va)
{
	const struct address *address = addresses_find(&translator->addresses, va);

	return address ? address->landing : VA_MAP_NONE;
}

const struct landing *find_landing(const struct translator *translator, uint64_t va, uint32_t site)
{
	uint32_t i = last_landing_to(translator, va), slot = (uint32_t)(va % TABLE_ENTRIES) + site;

	while (i != VA_MAP_NONE && translator->landings[i].slot != slot)
		i = translator->landings[i].former;
	assert(i == VA_MAP_NONE || translator->landings[i].is_unregistered ||
	       cache_word(&translator->cache, AREA_TABLE)[slot] != miss_va(translator, slot));
	return i == VA_MAP_NONE ? NULL : &translator->landings[i];
}

/* Who stands in it already still goes on to the next. */
static void unregister_landing(struct translator *translator, uint32_t landing)
{
	uint32_t slot = translator->landings[landing].slot, former = VA_MAP_NONE;

	for (uint32_t i = first_landing(translator, slot); i != landing; i = translator->landings[i].next)
		former = i;
	lead_on(translator, slot, former, translator->landings[landing].next);
	translator->landings[landing].is_unregistered = true;
}

void unregister_landings(struct translator *translator, uint64_t va)
{
	uint32_t i = last_landing_to(translator, va);

	for (; i != VA_MAP_NONE && !translator->landings[i].is_unregistered; i = translator->landings[i].former)
		unregister_landing(translator, i);
}

void make_miss(struct translator *translator)
{
	struct zone *zone = translator->zone;

	add_block(translator, 0);
	add_point(translator, (struct point){.kind = POINT_FORWARD});
	for (enum site_kind kind = 0; kind < N_SITE_KINDS; kind++) {
		translator->miss_va[kind] = emit_va(zone);
		edges_emit_record(translator, kind);
		add_exit(translator, emit_va(zone),
			 (struct exit){.kind = EXIT_INDIRECT,
				       .va = translator->wants_edges ? SITE_RECORDED : kind,
				       .r11_is_away = true});
		EMIT(zone, 0xcc);
		if (is_always_used(translator, kind))
			fill_part(translator, kind);
	}
}
