/* Memory that one region allocates, collected during the run (calls.h). Private to recorders/. */
#ifndef ITRACE_RECORDERS_CALL_MEMORY_H
#define ITRACE_RECORDERS_CALL_MEMORY_H

#include "profile/profile.h"
#include "recorders/call_mappings.h"

struct call_memory {
	struct profile_allocation *sites;
	size_t n_sites, sites_capacity;
	struct call_memory_site *index;	  /* hash of sites by context, instruction and allocator */
	struct call_memory_block *blocks; /* hash by address: allocated by functions and not freed */
	struct call_mappings mappings;	  /* mapped by system calls */
};

void call_memory_deinit(struct call_memory *memory);

/* Counts a call of an allocator. Returns its index in sites. */
uint32_t call_memory_call(struct call_memory *memory, uint32_t context, uint32_t insn,
			  enum profile_allocator allocator);

/* Records an allocated block. */
void call_memory_allocate(struct call_memory *memory, uint32_t site, uint64_t va, uint64_t bytes);

/* Records a freed block. Returns its size in bytes, or 0 if this region did not allocate it. */
uint64_t call_memory_free(struct call_memory *memory, uint64_t va);

/* Moves sites to the region. */
void call_memory_finish(struct call_memory *memory, struct profile_region *region);

#endif
