#include "recorders/call_memory.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

struct call_memory_site {
	UT_hash_handle hh;
	struct call_memory_key {
		uint32_t context, insn, allocator;
	} key;
	uint32_t site;
};

struct call_memory_block {
	UT_hash_handle hh;
	uint64_t va, bytes;
	uint32_t site;
};

void call_memory_deinit(struct call_memory *memory)
{
	HASH_FREE(memory->index);
	HASH_FREE(memory->blocks);
	call_mappings_deinit(&memory->mappings);
	free(memory->sites);
	*memory = (struct call_memory){0};
}

uint32_t call_memory_call(struct call_memory *memory, uint32_t context, uint32_t insn, enum profile_allocator allocator)
{
	struct call_memory_key key = {context, insn, allocator};
	struct call_memory_site *entry;

	HASH_FIND(hh, memory->index, &key, sizeof(key), entry);
	if (!entry) {
		*ARRAY_ADD(memory, sites) =
			(struct profile_allocation){.context = context, .insn = insn, .allocator = allocator};
		entry = xcalloc(1, sizeof(*entry));
		*entry = (struct call_memory_site){.key = key, .site = (uint32_t)memory->n_sites - 1};
		HASH_ADD(hh, memory->index, key, sizeof(key), entry);
	}
	memory->sites[entry->site].calls++;
	return entry->site;
}

void call_memory_allocate(struct call_memory *memory, uint32_t site, uint64_t va, uint64_t bytes)
{
	struct call_memory_block *block;

	/* A former block at this address was freed outside the trace. */
	call_memory_free(memory, va);
	block = xcalloc(1, sizeof(*block));
	*block = (struct call_memory_block){.va = va, .bytes = bytes, .site = site};
	HASH_ADD(hh, memory->blocks, va, sizeof(block->va), block);
	memory->sites[site].bytes += bytes;
	memory->sites[site].kept_calls++;
	memory->sites[site].kept_bytes += bytes;
}

uint64_t call_memory_free(struct call_memory *memory, uint64_t va)
{
	struct call_memory_block *block;
	uint64_t bytes;

	HASH_FIND(hh, memory->blocks, &va, sizeof(va), block);
	if (!block)
		return 0;
	bytes = block->bytes;
	memory->sites[block->site].kept_calls--;
	memory->sites[block->site].kept_bytes -= bytes;
	HASH_DELETE(hh, memory->blocks, block);
	free(block);
	return bytes;
}

void call_memory_finish(struct call_memory *memory, struct profile_region *region)
{
	region->allocations = memory->sites;
	region->n_allocations = memory->n_sites;
	region->allocations_capacity = memory->sites_capacity;
	memory->sites = NULL;
	call_memory_deinit(memory);
}
