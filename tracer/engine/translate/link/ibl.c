#include "engine/translate/link/ibl.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "engine/translate/link/links.h"

void ibl_init(struct ibl *ibl, bool wants_edges)
{
	static const uint32_t n_slots[N_SITE_KINDS] = {1 << 17, 1 << 14, 1 << 14, 1};

	for (enum site_kind kind = 0; kind < N_SITE_KINDS; kind++) {
		struct ibl_sites *sites = &ibl->sites[kind];

		sites->first = (uint32_t)ibl->n_slots;
		sites->n_slots = wants_edges ? n_slots[kind] : 1;
		if (kind != SITE_RECORDED || wants_edges)
			ibl->n_slots += TABLE_ENTRIES + sites->n_slots - 1;
	}
	assert(ibl->n_slots <= TABLE_SLOTS_MAX);
}

void ibl_deinit(struct ibl *ibl)
{
	free(ibl->targets);
	if (ibl->first)
		table_destroy(ibl->first, ibl->n_slots * sizeof(*ibl->first));
}

void ibl_clear(struct ibl *ibl)
{
	if (ibl->n_targets)
		memset(ibl->first, 0, ibl->n_slots * sizeof(*ibl->first));
	ibl->n_targets = 0;
	for (enum site_kind kind = 0; kind < N_SITE_KINDS; kind++)
		ibl->sites[kind].n_sites = 0;
}

bool ibl_has_room(const struct translator *translator, uint32_t n_sites)
{
	const struct ibl_sites *sites = translator->ibl.sites;

	for (enum site_kind kind = 0; kind < SITE_RECORDED; kind++)
		if (translator->wants_edges && sites[kind].n_sites + n_sites > sites[kind].n_slots)
			return false;
	return true;
}

static uint32_t first_target(const struct ibl *ibl, uint32_t slot)
{
	return ibl->first[slot] - 1;
}

static uint32_t last_target(const struct ibl *ibl, uint32_t slot)
{
	uint32_t last = VA_MAP_NONE;

	for (uint32_t i = first_target(ibl, slot); i != VA_MAP_NONE; i = ibl->targets[i].next)
		last = i;
	return last;
}

enum site_kind ibl_site_kind(const struct ibl *ibl, uint32_t site)
{
	enum site_kind kind = SITE_ANY;

	while (kind + 1 < N_SITE_KINDS && site >= ibl->sites[kind + 1].first)
		kind++;
	return kind;
}

/* A slot may have had targets before the first site that uses it. Those stay. */
static void fill_slots(struct translator *translator, enum site_kind kind)
{
	const struct ibl *ibl = &translator->ibl;
	const struct ibl_sites *sites = &ibl->sites[kind];
	uint64_t *words = &cache_word(&translator->cache, AREA_TABLE)[sites->first];

	for (uint32_t i = 0; i < TABLE_ENTRIES + sites->n_slots - 1; i++) {
		uint32_t target = first_target(ibl, sites->first + i);

		words[i] = target == VA_MAP_NONE ? ibl->miss_va[kind] : ibl->targets[target].code_va;
	}
}

/* Returns true for the kinds that return instructions use without a site of their own. */
static bool is_always_used(const struct translator *translator, enum site_kind kind)
{
	return kind == SITE_ANY || (kind == SITE_RECORDED && translator->wants_edges);
}

void ibl_fill_table(struct translator *translator)
{
	struct ibl *ibl = &translator->ibl;

	if (!ibl->first)
		ibl->first = table_create(ibl->n_slots * sizeof(*ibl->first));
	for (enum site_kind kind = 0; kind < N_SITE_KINDS; kind++)
		if (is_always_used(translator, kind) || ibl->sites[kind].n_sites)
			fill_slots(translator, kind);
}

uint32_t ibl_add_site(struct translator *translator, enum site_kind kind)
{
	/* Odd, so that each site gets another slot. Large, so that the slots of consecutive sites are far apart. */
	enum { SPREAD = 40503 };
	struct ibl_sites *sites = &translator->ibl.sites[kind];

	if (!sites->n_sites && !is_always_used(translator, kind))
		fill_slots(translator, kind);
	return sites->first + sites->n_sites++ * SPREAD % sites->n_slots;
}

static uint64_t miss_va(const struct ibl *ibl, uint32_t slot)
{
	return ibl->miss_va[ibl_site_kind(ibl, slot)];
}

/* Makes `next` follow `previous`. As `previous`, VA_MAP_NONE is the table itself; as `next`, the miss code. */
static void link_targets(struct translator *translator, uint32_t slot, uint32_t previous, uint32_t next)
{
	struct ibl *ibl = &translator->ibl;
	uint64_t to_va = next == VA_MAP_NONE ? miss_va(ibl, slot) : ibl->targets[next].code_va;

	if (previous == VA_MAP_NONE) {
		ibl->first[slot] = next + 1;
		__atomic_store_n(&cache_word(&translator->cache, AREA_TABLE)[slot], to_va, __ATOMIC_RELEASE);
	} else {
		ibl->targets[previous].next = next;
		links_patch(translator, ibl->targets[previous].patch_va, to_va);
	}
}

/* In a slot, targets whose comparison keeps the flags come first: all targets after one that does not keep them must
 * ignore the flags. */
void ibl_add_target(struct translator *translator, uint32_t site, struct ibl_target target)
{
	struct address *address = addresses_at(&translator->addresses, target.va);
	struct ibl *ibl = &translator->ibl;
	uint32_t i = (uint32_t)ibl->n_targets;

	target.slot = (uint32_t)(target.va % TABLE_ENTRIES) + site;
	target.next = target.keeps_flags ? first_target(ibl, target.slot) : VA_MAP_NONE;
	target.older = address->ibl_target;
	address->ibl_target = i;
	*ARRAY_ADD(ibl, targets) = target;
	link_targets(translator, target.slot, i, target.next);
	link_targets(translator, target.slot, target.keeps_flags ? VA_MAP_NONE : last_target(ibl, target.slot), i);
}

static uint32_t newest_target(const struct translator *translator, uint64_t va)
{
	const struct address *address = addresses_find(&translator->addresses, va);

	return address ? address->ibl_target : VA_MAP_NONE;
}

const struct ibl_target *ibl_find_target(const struct translator *translator, uint64_t va, uint32_t site)
{
	uint32_t i = newest_target(translator, va), slot = (uint32_t)(va % TABLE_ENTRIES) + site;
	const struct ibl *ibl = &translator->ibl;

	while (i != VA_MAP_NONE && ibl->targets[i].slot != slot)
		i = ibl->targets[i].older;
	assert(i == VA_MAP_NONE || ibl->targets[i].is_removed ||
	       cache_word(&translator->cache, AREA_TABLE)[slot] != miss_va(ibl, slot));
	return i == VA_MAP_NONE ? NULL : &ibl->targets[i];
}

uint32_t ibl_newest_site(const struct translator *translator, uint64_t va)
{
	uint32_t i = newest_target(translator, va);

	return i == VA_MAP_NONE || translator->ibl.targets[i].is_removed
		       ? SITE_NONE
		       : translator->ibl.targets[i].slot - (uint32_t)(va % TABLE_ENTRIES);
}

/* The code stays: a thread that is in it continues to the next target. */
static void remove_target(struct translator *translator, uint32_t target)
{
	struct ibl *ibl = &translator->ibl;
	uint32_t slot = ibl->targets[target].slot, previous = VA_MAP_NONE;

	for (uint32_t i = first_target(ibl, slot); i != target; i = ibl->targets[i].next)
		previous = i;
	link_targets(translator, slot, previous, ibl->targets[target].next);
	ibl->targets[target].is_removed = true;
}

void ibl_remove_targets(struct translator *translator, uint64_t va)
{
	const struct ibl *ibl = &translator->ibl;
	uint32_t i = newest_target(translator, va);

	for (; i != VA_MAP_NONE && !ibl->targets[i].is_removed; i = ibl->targets[i].older)
		remove_target(translator, i);
}
