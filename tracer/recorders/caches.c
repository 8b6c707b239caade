#include "recorders/caches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stream/block_attributes.h"

struct cache_core {
	struct cache **caches; /* [n_geometries] */
};

struct cache_recorder {
	struct cache_geometry *geometries;
	size_t n_geometries, geometries_capacity;
	struct block_attributes attributes;
	struct cache_core *cores; /* [n_cores] by thread */
	size_t n_cores, cores_capacity;
};

struct cache_recorder *cache_recorder_create(void)
{
	return xcalloc(1, sizeof(struct cache_recorder));
}

struct cache_recorder *cache_recorder_create_like(const struct cache_recorder *recorder)
{
	struct cache_recorder *other = cache_recorder_create();

	for (size_t i = 0; i < recorder->n_geometries; i++)
		cache_recorder_add_geometry(other, &recorder->geometries[i]);
	return other;
}

void cache_recorder_end_thread(struct cache_recorder *recorder, uint32_t thread)
{
	struct cache_core *core = thread < recorder->n_cores ? &recorder->cores[thread] : NULL;

	if (!core)
		return;
	for (size_t i = 0; core->caches && i < recorder->n_geometries; i++)
		cache_destroy(core->caches[i]);
	free(core->caches);
	core->caches = NULL;
}

void cache_recorder_destroy(struct cache_recorder *recorder)
{
	if (!recorder)
		return;
	for (size_t i = 0; i < recorder->n_cores; i++)
		cache_recorder_end_thread(recorder, (uint32_t)i);
	block_attributes_deinit(&recorder->attributes);
	free(recorder->cores);
	free(recorder->geometries);
	free(recorder);
}

void cache_recorder_add_geometry(struct cache_recorder *recorder, const struct cache_geometry *geometry)
{
	for (size_t i = 0; i < recorder->n_geometries; i++)
		if (memcmp(&recorder->geometries[i], geometry, sizeof(*geometry)) == 0)
			return;
	*ARRAY_ADD(recorder, geometries) = *geometry;
}

static struct cache_core *find_core(struct cache_recorder *recorder, uint32_t thread)
{
	struct cache_core *core;

	while (recorder->n_cores <= thread)
		ARRAY_ADD(recorder, cores);
	core = &recorder->cores[thread];
	if (!core->caches) {
		core->caches = xcalloc(recorder->n_geometries, sizeof(*core->caches));
		for (size_t i = 0; i < recorder->n_geometries; i++)
			core->caches[i] = cache_create(&recorder->geometries[i]);
	}
	return core;
}

/* The origin of an access: the instruction, and the batch with the regions that count misses. */
struct origin {
	const struct stream_batch *batch;
	uint32_t insn;
	bool is_load; /* only misses of loads count */
};

static void count_miss(struct profile *profile, const struct origin *origin, size_t cache, enum profile_miss miss)
{
	for (size_t i = 0; i < origin->batch->n_regions; i++)
		profile_count_miss(profile, origin->batch->regions[i], cache, miss, origin->insn, 1);
}

static void access_line(struct cache_recorder *recorder, struct cache_core *core, struct profile *profile,
			const struct origin *origin, uint64_t va)
{
	for (size_t i = 0; i < recorder->n_geometries; i++) {
		struct cache_found found = cache_access(core->caches[i], va);

		if (!origin->is_load)
			continue;
		if (found.in_l2)
			count_miss(profile, origin, i, MISS_SERVED_BY_L2);
		if (found.in_l3)
			count_miss(profile, origin, i, MISS_SERVED_BY_L3);
		if (found.in_memory)
			count_miss(profile, origin, i, MISS_SERVED_BY_MEMORY);
		if (found.in_stlb)
			count_miss(profile, origin, i, MISS_SERVED_BY_STLB);
		if (found.in_page_tables)
			count_miss(profile, origin, i, MISS_SERVED_BY_PAGE_TABLES);
	}
}

/* Simulates an access. The access of a REP string instruction includes all iterations. */
static void access_bytes(struct cache_recorder *recorder, struct cache_core *core, struct profile *profile,
			 const struct origin *origin, const struct block_access *access, const uint64_t *addresses)
{
	uint64_t va = addresses[access->address_index], n_bytes = access->n_bytes;

	if (access->is_repeated) {
		int64_t length = (int64_t)addresses[access->length_index];

		n_bytes = (uint64_t)(length < 0 ? -length : length);
		if (length < 0)
			va -= n_bytes - access->n_bytes;
	}
	if (!n_bytes)
		return;
	for (uint64_t line = va / CACHE_LINE_BYTES; line <= (va + n_bytes - 1) / CACHE_LINE_BYTES; line++)
		access_line(recorder, core, profile, origin, line * CACHE_LINE_BYTES);
}

static void name_caches(const struct cache_recorder *recorder, struct profile *profile)
{
	while (profile->n_caches < recorder->n_geometries) {
		char text[CACHE_GEOMETRY_BYTES];

		cache_geometry_text(&recorder->geometries[profile->n_caches], text);
		*ARRAY_ADD(profile, caches) = xstrdup(text);
	}
}

void cache_recorder_add_batch(struct cache_recorder *recorder, struct profile *profile,
			      const struct stream_batch *batch)
{
	struct cache_core *core = find_core(recorder, batch->thread);
	struct stream_cursor cursor = stream_begin(profile, batch);

	assert(stream_has_addresses(batch));
	name_caches(recorder, profile);
	while (stream_next(&cursor)) {
		const struct block_attribute *attribute = block_attributes_at(&recorder->attributes, profile,
									      cursor.block);
		const struct profile_block *block = &profile->blocks[cursor.block];

		for (uint32_t k = 0; k < attribute->n_accesses; k++) {
			const struct block_access *access = &recorder->attributes.accesses[attribute->first_access + k];
			const struct origin origin = {batch, profile->block_insns[block->first + access->insn],
						      access->is_read};

			access_bytes(recorder, core, profile, &origin, access, cursor.addresses);
		}
	}
}
