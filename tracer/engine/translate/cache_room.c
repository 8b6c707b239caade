#include "engine/translate/cache_room.h"

#include <string.h>

#include "base/array.h"

#define GAP_BYTES UINT64_C(0x40000000)	 /* between a zone and the code that it serves */
#define REACH_BYTES UINT64_C(0x70000000) /* reach of a 32-bit displacement, less a margin */
#define STEP_BYTES UINT64_C(0x1000000)
#define LOWEST_VA UINT64_C(0x10000)
#define PAGE_BYTES UINT64_C(0x1000)

/* Below the lowest address of position-independent programs and their heap (two thirds of the address space, Linux'
 * ELF_ET_DYN_BASE), and 46 TB below the top of mmap's area, which Linux fills downwards. */
#define AREAS_END_VA UINT64_C(0x555540000000)

/* Linux maps nothing by itself within 128 MB of the stack's end (arch/x86/mm/mmap.c, SIZE_128M). Half of that stays for
 * the stack, because GCC raises the limit of the stack to 64 MB. */
#define STACK_BYTES UINT64_C(0x4000000)
#define STACK_GAP_BYTES UINT64_C(0x100000) /* free below the stack in Linux (mm/mmap.c, stack_guard_gap) */

#define USER_END_VA UINT64_C(0x7ffffffff000)

/* MAP_32BIT maps upwards in this range (arch/x86/kernel/sys_x86_64.c, find_start_end). */
#define MAP_32BIT_VA UINT64_C(0x40000000)
#define MAP_32BIT_END_VA UINT64_C(0x80000000)

static bool is_free(const struct room_request *request, uint64_t va)
{
	const struct mapping_list *mappings = request->mappings;

	if (request->leaves_32bit && va < MAP_32BIT_END_VA && MAP_32BIT_VA < va + request->n_bytes)
		return false;
	for (size_t i = 0; i < mappings->n_mappings; i++)
		if (mappings->mappings[i].start_va < va + request->n_bytes && va < mappings->mappings[i].end_va)
			return false;
	return true;
}

bool cache_room_has(const struct mapping_list *mappings, uint64_t va, uint64_t n_bytes)
{
	const struct room_request request = {.mappings = mappings, .n_bytes = n_bytes};
	size_t next = ARRAY_SEARCH(mappings->n_mappings, i, mappings->mappings[i].end_va <= va);
	const struct mapping *above = &mappings->mappings[next];

	return va >= LOWEST_VA && va + n_bytes <= USER_END_VA && is_free(&request, va) &&
	       (next == mappings->n_mappings || strcmp(above->path, "[stack]") != 0 ||
		va + n_bytes + STACK_BYTES <= above->end_va);
}

bool cache_room_is_near(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) < REACH_BYTES;
}

bool cache_room_is_for_stack(const struct process *process)
{
	return process_stack_limit(process) > STACK_BYTES - STACK_GAP_BYTES;
}

/* Returns an address in reach of near_va, between the stack and all other mappings, with n_bytes free, or 0. */
static uint64_t find_room_below_stack(const struct room_request *request, uint64_t near_va)
{
	const struct mapping_list *mappings = request->mappings;
	uint64_t n_bytes = request->n_bytes, va;

	if (cache_room_is_for_stack(request->process))
		return 0;
	for (size_t i = 1; i < mappings->n_mappings; i++) {
		if (strcmp(mappings->mappings[i].path, "[stack]") != 0)
			continue;
		va = mappings->mappings[i - 1].end_va;
		return va + n_bytes + STACK_BYTES <= mappings->mappings[i].end_va && cache_room_is_near(va, near_va) &&
				       cache_room_is_near(va + n_bytes, near_va)
			       ? va
			       : 0;
	}
	return 0;
}

/* For a program at a fixed low address. Its heap grows upwards from its end, and MAP_32BIT maps upwards from 1 GB. So
 * the highest place below 1 GB is the best, and the highest one in reach the second best. */
static uint64_t find_low_room(const struct room_request *request, uint64_t near_page)
{
	uint64_t n_bytes = request->n_bytes;

	for (uint64_t va = MAP_32BIT_VA - n_bytes; va > near_page; va -= STEP_BYTES)
		if (is_free(request, va))
			return va;
	for (uint64_t va = near_page + REACH_BYTES - n_bytes - STEP_BYTES; va >= MAP_32BIT_VA; va -= STEP_BYTES)
		if (is_free(request, va))
			return va;
	return 0;
}

uint64_t cache_room_near(const struct room_request *request, uint64_t near_va)
{
	uint64_t near_page = near_va & ~(STEP_BYTES - 1), va;

	if ((va = find_room_below_stack(request, near_va)))
		return va;
	if (near_va < MAP_32BIT_VA)
		return find_low_room(request, near_page);
	for (uint64_t gap = GAP_BYTES; gap < REACH_BYTES; gap += STEP_BYTES)
		if (near_page > gap + LOWEST_VA && is_free(request, near_page - gap))
			return near_page - gap;
	for (uint64_t gap = GAP_BYTES; gap + request->n_bytes < REACH_BYTES; gap += STEP_BYTES)
		if (is_free(request, near_page + gap))
			return near_page + gap;
	for (uint64_t gap = GAP_BYTES; gap > request->n_bytes; gap -= STEP_BYTES)
		if (near_page > gap + LOWEST_VA && is_free(request, near_page - gap))
			return near_page - gap;
	return 0;
}

/* Returns the highest address below end_va with n_bytes free, or 0. */
static uint64_t find_room_below(const struct room_request *request, uint64_t end_va)
{
	const struct mapping_list *mappings = request->mappings;

	for (size_t i = mappings->n_mappings; i-- > 0;) {
		const struct mapping *mapping = &mappings->mappings[i];

		if (mapping->end_va < end_va && request->n_bytes <= end_va - mapping->end_va)
			return (end_va - request->n_bytes) & ~(PAGE_BYTES - 1);
		if (mapping->start_va < end_va)
			end_va = mapping->start_va;
	}
	return end_va >= MAP_32BIT_END_VA + request->n_bytes ? (end_va - request->n_bytes) & ~(PAGE_BYTES - 1) : 0;
}

uint64_t cache_room_anywhere(const struct room_request *request)
{
	uint64_t va = find_room_below(request, AREAS_END_VA);

	return va >= MAP_32BIT_END_VA ? va : find_room_below(request, USER_END_VA);
}
