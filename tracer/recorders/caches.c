#include "recorders/caches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stream/block_attributes.h"

struct tally_core {
	struct cache **caches; /* [n_geometries] */
};

struct cache_tally {
	struct cache_geometry *geometries;
	size_t n_geometries, geometries_capacity;
	struct block_attributes attributes;
	struct tally_core *cores; /* by thread */
	size_t n_cores, cores_capacity;
};

struct cache_tally *cache_tally_create(void)
{
	return xcalloc(1, sizeof(struct cache_tally));
}

struct cache_tally *cache_tally_create_like(const struct cache_tally *tally)
{
	struct cache_tally *other = cache_tally_create();

	for (size_t i = 0; i < tally->n_geometries; i++)
		cache_tally_add_geometry(other, &tally->geometries[i]);
	return other;
}

void cache_tally_end_thread(struct cache_tally *tally, uint32_t thread)
{
	struct tally_core *core = thread < tally->n_cores ? &tally->cores[thread] : NULL;

	if (!core)
		return;
	for (size_t i = 0; core->caches && i < tally->n_geometries; i++)
		cache_destroy(core->caches[i]);
	free(core->caches);
	core->caches = NULL;
}

void cache_tally_destroy(struct cache_tally *tally)
{
	if (!tally)
		return;
	for (size_t i = 0; i < tally->n_cores; i++)
		cache_tally_end_thread(tally, (uint32_t)i);
	block_attributes_deinit(&tally->attributes);
	free(tally->cores);
	free(tally->geometries);
	free(tally);
}

void cache_tally_add_geometry(struct cache_tally *tally, const struct cache_geometry *geometry)
{
	for (size_t i = 0; i < tally->n_geometries; i++)
		if (memcmp(&tally->geometries[i], geometry, sizeof(*geometry)) == 0)
			return;
	*ARRAY_ADD(tally, geometries) = *geometry;
}

static struct tally_core *find_core(struct cache_tally *tally, uint32_t thread)
{
	struct tally_core *core;

	while (tally->n_cores <= thread)
		ARRAY_ADD(tally, cores);
	core = &tally->cores[thread];
	if (!core->caches) {
		core->caches = xcalloc(tally->n_geometries, sizeof(*core->caches));
		for (size_t i = 0; i < tally->n_geometries; i++)
			core->caches[i] = cache_create(&tally->geometries[i]);
	}
	return core;
}

/* What one load looks for and where it is counted. */
struct load {
	const struct stream_batch *batch;
	uint32_t insn;
	bool counts;
};

static void count(struct profile *profile, const struct load *load, size_t cache, enum profile_miss miss)
{
	for (size_t i = 0; i < load->batch->n_regions; i++)
		profile_count_miss(profile, load->batch->regions[i], cache, miss, load->insn, 1);
}

static void access_line(struct cache_tally *tally, struct tally_core *core, struct profile *profile,
			const struct load *load, uint64_t va)
{
	for (size_t i = 0; i < tally->n_geometries; i++) {
		struct cache_found found = cache_access(core->caches[i], va);

		if (!load->counts)
			continue;
		if (found.in_l2)
			count(profile, load, i, MISS_IN_L2);
		if (found.in_l3)
			count(profile, load, i, MISS_IN_L3);
		if (found.in_memory)
			count(profile, load, i, MISS_IN_MEMORY);
		if (found.in_stlb)
			count(profile, load, i, MISS_IN_STLB);
		if (found.in_page_tables)
			count(profile, load, i, MISS_IN_PAGE_TABLES);
	}
}

/* The bytes of an access; of a REP string instruction, of all its iterations. */
static void access_bytes(struct cache_tally *tally, struct tally_core *core, struct profile *profile,
			 const struct load *load, const struct block_access *access, const uint64_t *words)
{
	uint64_t va = words[access->word], n_bytes = access->n_bytes;

	if (access->is_repeated) {
		int64_t length = (int64_t)words[access->length];

		n_bytes = (uint64_t)(length < 0 ? -length : length);
		if (length < 0)
			va -= n_bytes - access->n_bytes;
	}
	if (!n_bytes)
		return;
	for (uint64_t line = va / CACHE_LINE_BYTES; line <= (va + n_bytes - 1) / CACHE_LINE_BYTES; line++)
		access_line(tally, core, profile, load, line * CACHE_LINE_BYTES);
}

static void name_caches(const struct cache_tally *tally, struct profile *profile)
{
	while (profile->n_caches < tally->n_geometries) {
		char text[CACHE_GEOMETRY_BYTES];

		cache_geometry_text(&tally->geometries[profile->n_caches], text);
		*ARRAY_ADD(profile, caches) = xstrdup(text);
	}
}

void cache_tally_add(struct cache_tally *tally, struct profile *profile, const struct stream_batch *batch)
{
	struct tally_core *core = find_core(tally, batch->thread);
	struct stream_cursor cursor = stream_begin(profile, batch);

	assert(stream_has_addresses(batch));
	name_caches(tally, profile);
	while (stream_next(&cursor)) {
		const struct block_attribute *attribute = block_attributes_at(&tally->attributes, profile,
									      cursor.block);
		const struct profile_block *block = &profile->blocks[cursor.block];

		for (uint32_t k = 0; k < attribute->n_accesses; k++) {
			const struct block_access *access = &tally->attributes.accesses[attribute->first_access + k];
			const struct load load = {batch, profile->block_insns[block->first + access->insn],
						  access->is_read};

			access_bytes(tally, core, profile, &load, access, cursor.addresses);
		}
	}
}
