/* Memory allocated by one region, while it runs (calls.h). Private to recorders/. */
#ifndef ITRACE_RECORDERS_CALL_MEMORY_H
#define ITRACE_RECORDERS_CALL_MEMORY_H

#include "profile/profile.h"
#include "recorders/call_mappings.h"

struct call_memory {
	struct profile_allocation *sites;
	size_t n_sites, sites_capacity;
	struct call_memory_site *index;	  /* hash of sites; the key is all members but the counts */
	struct call_memory_block *blocks; /* allocated by functions and not freed, by address */
	struct call_mappings mappings;	  /* mapped by the kernel */
};

void call_memory_deinit(struct call_memory *memory);

/* Counts a call. Returns its index in sites. */
uint32_t call_memory_call(struct call_memory *memory, uint32_t context, uint32_t insn,
			  enum profile_allocator allocator);

/* Records an allocated block. */
void call_memory_allocate(struct call_memory *memory, uint32_t site, uint64_t va, uint64_t bytes);

/* Records a freed block. Returns its size, or 0 if this region did not allocate it. */
uint64_t call_memory_free(struct call_memory *memory, uint64_t va);

/* Moves sites to the region. */
void call_memory_finish(struct call_memory *memory, struct profile_region *region);

#endif
