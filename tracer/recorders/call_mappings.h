/* Address ranges that one region mapped by mmap, mremap or brk and that are still mapped. A system call can unmap or
 * replace any part of a range. Private to recorders/. */
#ifndef ITRACE_RECORDERS_CALL_MAPPINGS_H
#define ITRACE_RECORDERS_CALL_MAPPINGS_H

#include "profile/profile.h"

struct call_mappings {
	struct call_mapping *ranges; /* [n_ranges] sorted, without overlap */
	size_t n_ranges, ranges_capacity;
};

/* Adds a range that a call at sites[site] mapped. The range must not overlap another one. */
void call_mappings_add(struct call_mappings *mappings, struct profile_allocation *sites, uint32_t site, uint64_t va,
		       uint64_t bytes);

/* Unmaps a range. Returns the bytes of the range that the region had mapped. */
uint64_t call_mappings_remove(struct call_mappings *mappings, struct profile_allocation *sites, uint64_t va,
			      uint64_t bytes);

void call_mappings_deinit(struct call_mappings *mappings);

#endif
