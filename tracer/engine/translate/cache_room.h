/* Finds addresses for the cache's memory. */
#ifndef ITRACE_ENGINE_TRANSLATE_CACHE_ROOM_H
#define ITRACE_ENGINE_TRANSLATE_CACHE_ROOM_H

#include "target/target.h"

struct room_request {
	const struct process *process;
	const struct mapping_list *mappings; /* current ones of the process */
	uint64_t n_bytes;
	bool leaves_32bit; /* keep clear of the range of MAP_32BIT */
};

/* Returns true if a 32-bit displacement reaches from one address to the other. */
bool cache_room_is_near(uint64_t a, uint64_t b);

/* Returns true if the stack may grow down to a zone. */
bool cache_room_is_for_stack(const struct process *process);

/* Returns true if a zone at va overlaps no mapping and leaves room for the stack. */
bool cache_room_has(const struct mapping_list *mappings, uint64_t va, uint64_t n_bytes);

/* Returns an address in reach of near_va with n_bytes free, or 0. */
uint64_t cache_room_near(const struct room_request *request, uint64_t near_va);

/* Returns an address with n_bytes free, below all programs if possible, or 0. */
uint64_t cache_room_anywhere(const struct room_request *request);

#endif
