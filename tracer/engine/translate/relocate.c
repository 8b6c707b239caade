#include "engine/translate/relocate.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "engine/translate/cache_room.h"
#include "engine/translate/consistency/suspend.h"
#include "engine/translate/link/ibl.h"

/* Instructions hold addresses below this as 32-bit constants. */
#define SHORT_END_VA (UINT64_C(1) << 32)

enum { PAGES_AT_ONCE = 32 };

void moves_deinit(struct moves *moves)
{
	free(moves->list);
}

static const struct move *find_move(const struct moves *moves, uint64_t va)
{
	size_t found = ARRAY_SEARCH(moves->n_list, i, moves->list[i].end_va <= va);

	return found < moves->n_list && moves->list[found].start_va <= va ? &moves->list[found] : NULL;
}

/* Returns NULL if the process does not have the code at va. */
static const struct move *find_present(const struct moves *moves, uint64_t va)
{
	const struct move *move = find_move(moves, va);

	return move && !move->is_gone ? move : NULL;
}

static uint64_t moved(const struct moves *moves, uint64_t va)
{
	const struct move *move = find_move(moves, va);

	return move ? va + (uint64_t)move->n_bytes : va;
}

static bool is_code_of_file(const struct mapping *mapping)
{
	return mapping->executable && !mapping->writable && !mapping->shared &&
	       (mapping->inode || strcmp(mapping->path, "[vdso]") == 0);
}

static const struct mapping *find_same(const struct mapping_list *mappings, const struct mapping *old)
{
	for (size_t i = 0; i < mappings->n_mappings; i++) {
		const struct mapping *mapping = &mappings->mappings[i];

		if (is_code_of_file(mapping) && mapping->inode == old->inode &&
		    mapping->offset_bytes == old->offset_bytes &&
		    mapping->end_va - mapping->start_va == old->end_va - old->start_va &&
		    strcmp(mapping->path, old->path) == 0)
			return mapping;
	}
	return NULL;
}

/* Returns true if two mappings, the second one directly behind the first, belong to one module. Its last part may be
 * memory that is not of the file. */
static bool are_of_module(const struct mapping *low, const struct mapping *high)
{
	return low->end_va == high->start_va && ((low->inode == high->inode && strcmp(low->path, high->path) == 0) ||
						 (low->inode && !high->path[0] && high->writable));
}

/* Adds the move of the whole module whose code is mapping i of the list. */
static struct move *add_move(struct moves *moves, const struct mapping_list *list, size_t i)
{
	struct move *added;

	size_t first = i, last = i;

	while (first > 0 && are_of_module(&list->mappings[first - 1], &list->mappings[first]))
		first--;
	while (last + 1 < list->n_mappings && are_of_module(&list->mappings[last], &list->mappings[last + 1]))
		last++;
	added = ARRAY_ADD(moves, list);
	added->start_va = list->mappings[first].start_va;
	added->end_va = list->mappings[last].end_va;
	return added;
}

/* Takes the old mappings from the pages, and reads those of the process. */
static bool compare_mappings(struct moves *moves, struct pages *pages)
{
	struct mapping_list old = pages->mappings;
	struct move *move;
	uint64_t end_va = 0;
	bool ok = true;

	pages->mappings = (struct mapping_list){0};
	pages->knows_mappings = false;
	pages_mapping(pages, 0);
	for (size_t i = 0; i < old.n_mappings; i++) {
		const struct mapping *mapping = &old.mappings[i], *now;

		/* A module may have several mappings with code. */
		if (mapping->start_va < end_va || !is_code_of_file(mapping))
			continue;
		now = find_same(&pages->mappings, mapping);
		move = add_move(moves, &old, i);
		end_va = move->end_va;
		move->is_gone = !now;
		move->n_bytes = now ? (int64_t)(now->start_va - mapping->start_va) : 0;
		ok &= !move->n_bytes || mapping->start_va >= SHORT_END_VA;
	}
	mapping_list_deinit(&old);
	return ok && pages->knows_mappings;
}

/* A zone moves with the first of its code that still exists. */
static void choose_zone_moves(const struct moves *moves, const struct translator *translator)
{
	for (size_t i = 0; i < translator->cache.n_zones; i++) {
		const struct zone_fragments *zone = &translator->fragments.zones[i];
		const struct move *move = NULL;

		for (size_t j = 0; j < zone->n_list && !move; j++) {
			const struct fragment *fragment = translator_fragment(translator, zone->list[j]);

			if (fragment->n_insns && !fragment->is_retired)
				move = find_present(moves, fragment->va);
		}
		moves->of_zones[i] = move ? move->n_bytes : 0;
	}
}

/* Returns false if a direct jump may lead from one zone to another one that moves differently, or a zone gets no
 * room. */
static bool can_move_zones(const struct moves *moves, const struct cache *cache, const struct mapping_list *mappings)
{
	for (size_t i = 0; i < cache->n_zones; i++) {
		uint64_t va = cache->zones[i].va + (uint64_t)moves->of_zones[i];

		for (size_t j = 0; j < i; j++)
			if (moves->of_zones[i] != moves->of_zones[j] &&
			    cache_serves(&cache->zones[i], cache->zones[j].va))
				return false;
		if (!cache_room_has(mappings, va, ZONE_BYTES))
			return false;
	}
	return true;
}

/* Returns true if code of the page can be used again at the place to which it moves. */
static bool is_usable(const struct moves *moves, struct translator *translator, const struct code_page *page)
{
	const struct move *move = find_present(moves, page->va);

	if (!move || !page->is_translatable || page->is_suspended || page->is_changing || page->is_writable ||
	    page->is_protected || page->is_watched)
		return false;
	for (size_t i = 0; i < page->n_fragments; i++) {
		const struct fragment *fragment = translator_fragment(translator, page->fragments[i]);
		const struct zone *zone = cache_find_zone(&translator->cache, fragment->entry_va);

		if (!fragment->is_retired && moves->of_zones[zone - translator->cache.zones] != move->n_bytes)
			return false;
	}
	return true;
}

/* Retires the code of pages that cannot be used again. */
static void drop_pages(const struct moves *moves, struct translator *translator)
{
	struct pages *pages = &translator->pages;
	size_t n_kept = 0;

	for (size_t i = 0; i < pages->n_pages; i++) {
		struct code_page *page = &pages->pages[i];

		if (is_usable(moves, translator, page)) {
			pages->pages[n_kept++] = *page;
			continue;
		}
		retire_page(translator, page);
		free(page->fragments);
	}
	pages->n_pages = n_kept;
}

/* Returns true if the process has the bytes of n_pages pages at the places to which they move. */
static bool has_same_bytes(const struct moves *moves, const struct pages *pages, size_t first, size_t n_pages)
{
	uint8_t bytes[PAGES_AT_ONCE][CODE_PAGE_BYTES];
	bool are_read[PAGES_AT_ONCE] = {0};
	uint64_t vas[PAGES_AT_ONCE];

	for (size_t i = 0; i < n_pages; i++)
		vas[i] = moved(moves, pages->pages[first + i].va);
	process_read_all(pages->process, vas, n_pages, bytes, CODE_PAGE_BYTES, are_read);
	for (size_t i = 0; i < n_pages; i++) {
		const uint8_t *expected = pages->pages[first + i].bytes;

		/* process_read() hides breakpoints. */
		if (!are_read[i] ||
		    (memcmp(bytes[i], expected, CODE_PAGE_BYTES) != 0 &&
		     (process_read(pages->process, vas[i], bytes[i], CODE_PAGE_BYTES) < CODE_PAGE_BYTES ||
		      memcmp(bytes[i], expected, CODE_PAGE_BYTES) != 0)))
			return false;
	}
	return true;
}

static bool have_same_bytes(const struct moves *moves, const struct pages *pages)
{
	for (size_t i = 0; i < pages->n_pages; i += PAGES_AT_ONCE) {
		size_t n_pages = pages->n_pages - i < PAGES_AT_ONCE ? pages->n_pages - i : PAGES_AT_ONCE;

		if (!has_same_bytes(moves, pages, i, n_pages))
			return false;
	}
	return true;
}

/* Returns true if each address in the code is known to move, or lies in the cache. */
static bool have_absolutes(const struct moves *moves, struct translator *translator)
{
	const struct fragments *fragments = &translator->fragments;

	for (size_t i = 0; i < fragments->n_absolutes; i++) {
		const struct absolute *absolute = &fragments->absolutes[i];
		uint64_t value;

		if (absolute->kind == ABSOLUTE_CACHE_VA)
			continue;
		memcpy(&value, zone_bytes(cache_find_zone(&translator->cache, absolute->at_va), absolute->at_va),
		       sizeof(value));
		if (!find_move(moves, absolute->kind == ABSOLUTE_PROGRAM_VA ? value : -value))
			return false;
	}
	return true;
}

bool moves_find(struct moves *moves, struct translator *translator)
{
	if (!compare_mappings(moves, &translator->pages) || !moves->n_list)
		return false;
	choose_zone_moves(moves, translator);
	if (!have_absolutes(moves, translator) ||
	    !can_move_zones(moves, &translator->cache, &translator->pages.mappings))
		return false;
	drop_pages(moves, translator);
	return have_same_bytes(moves, &translator->pages);
}

/* An address in the cache, as it was before. */
static uint64_t moved_cache(const struct moves *moves, const struct cache *cache, uint64_t va)
{
	for (size_t i = 0; i < cache->n_zones; i++)
		if (va + (uint64_t)moves->of_zones[i] - cache->zones[i].va < ZONE_BYTES)
			return va + (uint64_t)moves->of_zones[i];
	return va;
}

/* Gives each key of a map its new address. */
static void move_cache_keys(const struct moves *moves, const struct cache *cache, struct va_map *map)
{
	struct va_map new = {0};

	va_map_reserve(&new, map->n_used);
	for (size_t i = 0; i < map->n_slots; i++)
		if (map->slots[i].value_plus_1)
			va_map_set(&new, moved_cache(moves, cache, map->slots[i].va), map->slots[i].value_plus_1 - 1);
	va_map_deinit(map);
	*map = new;
}

/* As move_cache_keys, for addresses of the program. Forgets those of code that is gone. */
static void move_keys(const struct moves *moves, struct va_map *map)
{
	struct va_map new = {0};

	va_map_reserve(&new, map->n_used);
	for (size_t i = 0; i < map->n_slots; i++) {
		const struct va_map_slot *slot = &map->slots[i];
		const struct move *move = slot->value_plus_1 ? find_present(moves, slot->va) : NULL;

		if (move)
			va_map_set(&new, slot->va + (uint64_t)move->n_bytes, slot->value_plus_1 - 1);
	}
	va_map_deinit(map);
	*map = new;
}

static void move_pages(const struct moves *moves, struct pages *pages)
{
	va_map_clear(&pages->by_va);
	pages->last = 0;
	for (size_t i = 0; i < pages->n_pages; i++) {
		struct code_page *page = &pages->pages[i];

		page->va = moved(moves, page->va);
		page->has_hints = false;
		page->breakpoints_version = pages->process->breakpoints_version - 1;
		va_map_set(&pages->by_va, page->va, (uint32_t)i);
	}
}

static void move_fragments(const struct moves *moves, struct translator *translator)
{
	struct rseq_sections *sections = &translator->engine->sections;
	struct fragments *fragments = &translator->fragments;
	const struct cache *cache = &translator->cache;

	for (size_t i = 0; i < cache->n_zones; i++) {
		uint64_t n_bytes = (uint64_t)moves->of_zones[i];

		for (size_t j = 0; j < fragments->zones[i].n_list; j++) {
			struct fragment *fragment = translator_fragment(translator, fragments->zones[i].list[j]);

			fragment->va = moved(moves, fragment->va);
			if (fragment->n_insns)
				fragment->end_va = moved(moves, fragment->end_va - 1) + 1;
			fragment->entry_va += n_bytes;
			fragment->counted_va += fragment->counted_va == UINT64_MAX ? 0 : n_bytes;
		}
	}
	for (size_t i = 0; i < fragments->n_insns; i++) {
		struct fragment_insn *insn = &fragments->insns[i];

		insn->va = moved(moves, insn->va);
		insn->index = PROFILE_NONE;
		/* As when the instruction was translated. */
		rseq_sections_note(sections, insn->va, &insn->insn);
	}
	for (size_t i = 0; i < fragments->n_exit_stubs; i++)
		if (fragments->exit_stubs[i].kind != EXIT_INDIRECT)
			fragments->exit_stubs[i].va = moved(moves, fragments->exit_stubs[i].va);
}

static void move_absolutes(const struct moves *moves, struct translator *translator)
{
	const struct fragments *fragments = &translator->fragments;

	for (size_t i = 0; i < fragments->n_absolutes; i++) {
		struct absolute *absolute = &fragments->absolutes[i];
		const struct zone *zone;
		uint64_t value;

		absolute->at_va = moved_cache(moves, &translator->cache, absolute->at_va);
		zone = cache_find_zone(&translator->cache, absolute->at_va);
		memcpy(&value, zone_bytes(zone, absolute->at_va), sizeof(value));
		if (absolute->kind == ABSOLUTE_CACHE_VA)
			value = moved_cache(moves, &translator->cache, value);
		else
			value = absolute->kind == ABSOLUTE_PROGRAM_VA ? moved(moves, value) : -moved(moves, -value);
		memcpy(zone_bytes(zone, absolute->at_va), &value, sizeof(value));
	}
}

/* The slots of the table depend on the targets' addresses. */
static void fill_table(const struct moves *moves, struct translator *translator)
{
	struct ibl *ibl = &translator->ibl;
	const struct ibl_target *old = ibl->targets;
	size_t n_old = ibl->n_targets;
	uint32_t n_sites[N_SITE_KINDS];

	for (enum site_kind kind = 0; kind < N_SITE_KINDS; kind++) {
		n_sites[kind] = ibl->sites[kind].n_sites;
		ibl->miss_va[kind] = moved_cache(moves, &translator->cache, ibl->miss_va[kind]);
	}
	for (size_t i = 0; i < translator->addresses.n_list; i++)
		translator->addresses.list[i].ibl_target = VA_MAP_NONE;
	for (size_t i = 0; i < n_old; i++)
		ibl->first[old[i].slot] = 0;
	ibl->targets = NULL;
	ibl->n_targets = ibl->targets_capacity = 0;
	ibl_clear(ibl);
	for (enum site_kind kind = 0; kind < N_SITE_KINDS; kind++)
		ibl->sites[kind].n_sites = n_sites[kind];
	ibl_fill_table(translator);
	for (size_t i = 0; i < n_old; i++) {
		struct ibl_target target = old[i];
		uint32_t site = target.slot - (uint32_t)(target.va % TABLE_ENTRIES);

		target.va = moved(moves, target.va);
		target.code_va = moved_cache(moves, &translator->cache, target.code_va);
		target.patch_va = moved_cache(moves, &translator->cache, target.patch_va);
		if (!target.is_removed && find_present(moves, old[i].va))
			ibl_add_target(translator, site, target);
	}
	free((void *)old);
}

static void move_links(const struct moves *moves, struct translator *translator)
{
	const struct cache *cache = &translator->cache;
	struct links *links = &translator->links;

	for (size_t i = 0; i < links->n_links; i++)
		links->links[i].patch_va = moved_cache(moves, cache, links->links[i].patch_va);
	for (size_t i = 0; i < ZONES_MAX; i++)
		va_map_clear(&links->far_jump_to[i]);
	for (size_t i = 0; i < links->n_far_jumps; i++) {
		struct far_jump *jump = &links->far_jumps[i];

		jump->va = moved_cache(moves, cache, jump->va);
		jump->to_va = moved_cache(moves, cache, jump->to_va);
		va_map_set(&links->far_jump_to[cache_find_zone((struct cache *)cache, jump->va) - cache->zones],
			   jump->to_va, (uint32_t)i);
	}
}

void relocate(struct translator *translator, const struct moves *moves)
{
	const struct cache *cache = &translator->cache;

	move_pages(moves, &translator->pages);
	move_fragments(moves, translator);
	move_absolutes(moves, translator);
	move_keys(moves, &translator->addresses.index);
	move_cache_keys(moves, cache, &translator->fragments.exit_stub_at);
	move_links(moves, translator);
	translator->emitter.zone = &translator->cache.zones[0];
	fill_table(moves, translator);
}
