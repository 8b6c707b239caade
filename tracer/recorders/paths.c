#include "recorders/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "stream/block_attributes.h"

enum { STORE_BITS = 10, STORE_SLOTS = 1 << STORE_BITS, GRANULE_BITS = 3, ACCESS_BYTES_MAX = 64 /* a ZMM register */ };

/* The last store to an aligned granule of 8 bytes. Granules with the same slot replace each other. */
struct store {
	uint64_t granule, va;
	uint64_t number;      /* sequence number; 0: none */
	uint64_t path_number; /* number of the path execution that stored */
	uint32_t address;     /* index of its operand address in that path */
};

/* One thread of the stream. */
struct path_thread {
	uint32_t *regions; /* [n_regions] of the unfinished path */
	size_t n_regions, regions_capacity;
	uint32_t previous; /* the path before the unfinished one, or PROFILE_NONE */
	uint32_t *blocks;  /* blocks of the unfinished path */
	size_t n_blocks, blocks_capacity;
	uint32_t n_insns, n_addresses;
	struct profile_dependence *loads;
	size_t n_loads, loads_capacity;
	uint64_t path_number, store_number;
	struct store stores[STORE_SLOTS];
};

/* A path of the profile, by its blocks. */
struct path_entry {
	size_t first_block; /* in recorder->blocks */
	uint32_t n_blocks;
	uint32_t path;
	uint32_t next; /* index in entries of an earlier variant, or PROFILE_NONE */
};

struct path_recorder {
	struct profile *profile; /* valid during a call */
	struct block_attributes attributes;
	struct path_thread **threads; /* by number */
	size_t n_threads, threads_capacity;
	struct path_entry *entries;
	size_t n_entries, entries_capacity;
	uint32_t *blocks;
	size_t n_blocks, blocks_capacity;
	struct index index; /* of the latest variants of entries, by their blocks */
};

struct path_recorder *path_recorder_create(void)
{
	return xcalloc(1, sizeof(struct path_recorder));
}

static bool has_blocks(const struct path_recorder *recorder, size_t entry, const uint32_t *blocks, size_t n_blocks)
{
	const struct path_entry *found = &recorder->entries[entry];

	return found->n_blocks == n_blocks &&
	       memcmp(&recorder->blocks[found->first_block], blocks, n_blocks * sizeof(*blocks)) == 0;
}

static uint32_t *find_slot(const struct path_recorder *recorder, const uint32_t *blocks, size_t n_blocks)
{
	return INDEX_SLOT(&recorder->index, index_hash_words(blocks, n_blocks), i,
			  has_blocks(recorder, i, blocks, n_blocks));
}

static uint32_t add_path(struct path_recorder *recorder, const uint32_t *blocks, size_t n_blocks,
			 const struct profile_dependence *loads, size_t n_loads)
{
	struct profile *profile = recorder->profile;
	struct profile_path *path = ARRAY_ADD(profile, paths);

	*path = (struct profile_path){.first_insn = profile->n_path_insns,
				      .first_dependence = profile->n_path_dependences};
	for (size_t i = 0; i < n_blocks; i++) {
		const struct profile_block *block = &profile->blocks[blocks[i]];

		for (uint32_t k = 0; k < block->n_insns; k++)
			*ARRAY_ADD(profile, path_insns) = profile->block_insns[block->first + k];
		path->n_insns += block->n_insns;
		path->n_addresses += block->n_addresses;
	}
	for (size_t i = 0; i < n_loads; i++)
		*ARRAY_ADD(profile, path_dependences) = loads[i];
	path->n_dependences = (uint32_t)n_loads;
	return (uint32_t)profile->n_paths - 1;
}

static bool has_loads(const struct profile *profile, uint32_t index, const struct profile_dependence *loads,
		      size_t n_loads)
{
	const struct profile_path *path = &profile->paths[index];
	const struct profile_dependence *found = profile->path_dependences + path->first_dependence;

	return path->n_dependences == n_loads && (!n_loads || memcmp(found, loads, n_loads * sizeof(*loads)) == 0);
}

/* Returns the path of these blocks, or PROFILE_NONE if there are too many paths to add one of several blocks. */
static uint32_t intern(struct path_recorder *recorder, const uint32_t *blocks, size_t n_blocks,
		       const struct profile_dependence *loads, size_t n_loads)
{
	uint32_t *slot, first = PROFILE_NONE, n_variants = 0;
	bool is_full = recorder->profile->n_paths >= PATHS_MAX;
	struct path_entry *entry;

	INDEX_RESERVE(&recorder->index, recorder->n_entries, i,
		      find_slot(recorder, &recorder->blocks[recorder->entries[i].first_block],
				recorder->entries[i].n_blocks));
	slot = find_slot(recorder, blocks, n_blocks);
	/* A free slot has the value 0, and 0 - 1 is PROFILE_NONE. */
	for (uint32_t i = *slot - 1; i != PROFILE_NONE; i = recorder->entries[i].next) {
		if (has_loads(recorder->profile, recorder->entries[i].path, loads, n_loads))
			return recorder->entries[i].path;
		first = i;
		n_variants++;
	}
	if (*slot && (is_full || n_variants == PATH_VARIANTS))
		return recorder->entries[first].path;
	if (is_full && n_blocks > 1)
		return PROFILE_NONE;
	entry = ARRAY_ADD(recorder, entries);
	*entry = (struct path_entry){.first_block = recorder->n_blocks,
				     .n_blocks = (uint32_t)n_blocks,
				     .next = *slot - 1};
	if (*slot)
		entry->first_block = recorder->entries[first].first_block;
	for (size_t i = 0; i < n_blocks && !*slot; i++)
		*ARRAY_ADD(recorder, blocks) = blocks[i];
	*slot = (uint32_t)recorder->n_entries;
	return entry->path = add_path(recorder, blocks, n_blocks, loads, n_loads);
}

static void count_pair(struct path_recorder *recorder, struct path_thread *thread, uint32_t path)
{
	struct profile *profile = recorder->profile;

	for (size_t i = 0; i < thread->n_regions; i++) {
		bool is_full = profile->regions[thread->regions[i]].pairs.n_rows >= PAIRS_MAX;

		profile_count_pair(profile, thread->regions[i], is_full ? PROFILE_NONE : thread->previous, path, 1);
	}
	thread->previous = path;
}

static void end_path(struct path_recorder *recorder, struct path_thread *thread)
{
	uint32_t path;

	if (!thread->n_blocks)
		return;
	path = intern(recorder, thread->blocks, thread->n_blocks, thread->loads, thread->n_loads);
	if (path != PROFILE_NONE) {
		count_pair(recorder, thread, path);
	} else {
		for (size_t i = 0; i < thread->n_blocks; i++)
			count_pair(recorder, thread, intern(recorder, &thread->blocks[i], 1, NULL, 0));
	}
	thread->n_blocks = thread->n_loads = 0;
	thread->n_insns = thread->n_addresses = 0;
	thread->path_number++;
}

static bool ends_path(const struct path_thread *thread, const struct block_attribute *before,
		      const struct block_attribute *next)
{
	switch (before->flow) {
	case FLOW_JUMP_INDIRECT:
		return true;
	case FLOW_BRANCH:
	case FLOW_JUMP:
		if (next->first_va <= before->last_va)
			return true;
		break;
	default:
		break;
	}
	return thread->n_insns >= PATH_INSNS;
}

/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
static struct store *store_at(struct path_thread *thread, uint64_t granule)
{
	return &thread->stores[granule * UINT64_C(0x9e3779b97f4a7c15) >> (64 - STORE_BITS)];
}

static void note_load(struct path_thread *thread, uint32_t address, uint64_t va, uint32_t n_bytes)
{
	const struct store *latest = NULL;

	for (uint64_t granule = va >> GRANULE_BITS; granule <= (va + n_bytes - 1) >> GRANULE_BITS; granule++) {
		const struct store *store = store_at(thread, granule);

		if (store->number && store->granule == granule && (!latest || store->number > latest->number))
			latest = store;
	}
	if (latest && thread->path_number - latest->path_number <= PATH_DEPENDENCE_REACH)
		*ARRAY_ADD(thread, loads) = (struct profile_dependence){
			.load = address,
			.store = latest->address,
			.paths_back = (uint32_t)(thread->path_number - latest->path_number),
			.offset = (int32_t)(va - latest->va),
		};
}

static void note_store(struct path_thread *thread, uint32_t address, uint64_t va, uint32_t n_bytes)
{
	thread->store_number++;
	for (uint64_t granule = va >> GRANULE_BITS; granule <= (va + n_bytes - 1) >> GRANULE_BITS; granule++)
		*store_at(thread, granule) = (struct store){
			granule, va, thread->store_number, thread->path_number, address,
		};
}

static void note_accesses(const struct path_recorder *recorder, struct path_thread *thread,
			  const struct block_attribute *attribute, const uint64_t *addresses)
{
	for (uint32_t i = 0; i < attribute->n_accesses; i++) {
		const struct block_access *access = &recorder->attributes.accesses[attribute->first_access + i];
		uint64_t va = addresses[access->address_index];

		if (access->is_repeated || !access->n_bytes || access->n_bytes > ACCESS_BYTES_MAX)
			continue;
		if (access->is_read)
			note_load(thread, thread->n_addresses + access->address_index, va, access->n_bytes);
		if (access->is_written)
			note_store(thread, thread->n_addresses + access->address_index, va, access->n_bytes);
	}
}

static void set_regions(struct path_recorder *recorder, struct path_thread *thread, const struct stream_batch *batch)
{
	bool are_same = batch->n_regions == thread->n_regions &&
			memcmp(batch->regions, thread->regions, batch->n_regions * sizeof(*batch->regions)) == 0;

	if (are_same && batch->is_continuation)
		return;
	end_path(recorder, thread);
	thread->previous = PROFILE_NONE;
	thread->n_regions = 0;
	for (size_t i = 0; i < batch->n_regions; i++)
		*ARRAY_ADD(thread, regions) = batch->regions[i];
}

static struct path_thread *find_thread(struct path_recorder *recorder, uint32_t number)
{
	while (recorder->n_threads <= number)
		ARRAY_ADD(recorder, threads);
	if (!recorder->threads[number]) {
		recorder->threads[number] = xcalloc(1, sizeof(**recorder->threads));
		recorder->threads[number]->previous = PROFILE_NONE;
		recorder->threads[number]->path_number = PATH_DEPENDENCE_REACH + 1;
	}
	return recorder->threads[number];
}

void path_recorder_add_batch(struct path_recorder *recorder, struct profile *profile, const struct stream_batch *batch)
{
	struct path_thread *thread = find_thread(recorder, batch->thread);
	struct stream_cursor cursor = stream_begin(profile, batch);

	recorder->profile = profile;
	set_regions(recorder, thread, batch);
	profile->has_addresses = stream_has_addresses(batch);
	while (stream_next(&cursor)) {
		const struct block_attribute *attribute = block_attributes_at(&recorder->attributes, profile,
									      cursor.block);

		if (thread->n_blocks &&
		    ends_path(thread, &recorder->attributes.attributes[thread->blocks[thread->n_blocks - 1]],
			      attribute))
			end_path(recorder, thread);
		*ARRAY_ADD(thread, blocks) = cursor.block;
		if (cursor.addresses)
			note_accesses(recorder, thread, attribute, cursor.addresses);
		thread->n_insns += attribute->n_insns;
		thread->n_addresses += attribute->n_addresses;
	}
}

static void destroy_thread(struct path_thread *thread)
{
	if (!thread)
		return;
	free(thread->regions);
	free(thread->blocks);
	free(thread->loads);
	free(thread);
}

void path_recorder_end_thread(struct path_recorder *recorder, struct profile *profile, uint32_t thread)
{
	recorder->profile = profile;
	if (thread >= recorder->n_threads || !recorder->threads[thread])
		return;
	end_path(recorder, recorder->threads[thread]);
	destroy_thread(recorder->threads[thread]);
	recorder->threads[thread] = NULL;
}

void path_recorder_finish(struct path_recorder *recorder, struct profile *profile)
{
	recorder->profile = profile;
	profile->has_paths = true;
	for (size_t i = 0; i < recorder->n_threads; i++)
		if (recorder->threads[i])
			end_path(recorder, recorder->threads[i]);
}

void path_recorder_destroy(struct path_recorder *recorder)
{
	if (!recorder)
		return;
	for (size_t i = 0; i < recorder->n_threads; i++)
		destroy_thread(recorder->threads[i]);
	block_attributes_deinit(&recorder->attributes);
	free(recorder->threads);
	free(recorder->entries);
	free(recorder->blocks);
	free(recorder->index.slots);
	free(recorder);
}
