/* Address ranges that one region got from the kernel by mmap, mremap or brk, and still holds. System calls unmap and
 * replace any part of a range. Private to recorders/. */
#ifndef ITRACE_RECORDERS_CALL_MAPPINGS_H
#define ITRACE_RECORDERS_CALL_MAPPINGS_H

#include "profile/profile.h"

struct call_mappings {
	struct call_mapping *ranges; /* [n_ranges] ascending, without overlap */
	size_t n_ranges, ranges_capacity;
};

/* Adds a range obtained by a call of sites[site]. It must not overlap another range. */
void call_mappings_add(struct call_mappings *mappings, struct profile_allocation *sites, uint32_t site, uint64_t va,
		       uint64_t bytes);

/* Unmaps a range. Returns the number of bytes that the region held of it. */
uint64_t call_mappings_remove(struct call_mappings *mappings, struct profile_allocation *sites, uint64_t va,
			      uint64_t bytes);

void call_mappings_deinit(struct call_mappings *mappings);

#endif
