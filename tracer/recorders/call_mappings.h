/* The address ranges that one region got from the kernel and has not given back: by mmap, mremap and brk, which give, take and put in
 * place of one another any pages. Private to profile/. */
#ifndef ITRACE_RECORDERS_CALL_MAPPINGS_H
#define ITRACE_RECORDERS_CALL_MAPPINGS_H

#include "profile/profile.h"

struct call_mappings {
	struct call_mapping *ranges; /* [n_ranges] ascending, apart from each other */
	size_t n_ranges, ranges_capacity;
};

/* sites[site], a call of which got the range, keeps it. The range is of none yet. */
void call_mappings_add(struct call_mappings *mappings, struct profile_allocation *sites, uint32_t site, uint64_t va,
		       uint64_t bytes);

/* Takes a range away from the sites that keep parts of it; the number of bytes of these. */
uint64_t call_mappings_remove(struct call_mappings *mappings, struct profile_allocation *sites, uint64_t va,
			      uint64_t bytes);

void call_mappings_deinit(struct call_mappings *mappings);

#endif
