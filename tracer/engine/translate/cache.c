#include "engine/translate/cache.h"

#include <linux/memfd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"

#define GAP_BYTES UINT64_C(0x40000000)	 /* between a zone and what it serves */
#define REACH_BYTES UINT64_C(0x70000000) /* of a displacement, with some room */
#define STEP_BYTES UINT64_C(0x1000000)
#define LOWEST_VA UINT64_C(0x10000)

/* What a limited address space must have left: two or three zones and some areas, and as much again for the program, which is
 * to fail where it would without us. */
#define ROOM_BYTES (UINT64_C(512) << 20)

/* Another thread's stop may come between; a limit is there every time, and each try takes system calls of the program's. */
enum { FAILURES_MAX = 3 };

/* Finds SYSCALL and a zero byte in one mapping. */
static bool search_mapping(struct cache *cache, const struct process *process, const struct mapping *mapping)
{
	enum { SEARCHED_BYTES = 1 << 20 };
	size_t n_bytes = mapping->end_va - mapping->start_va;
	bool found = false;
	uint8_t *bytes;

	if (!mapping->executable || !mapping->readable || mapping->writable)
		return false;
	n_bytes = n_bytes < SEARCHED_BYTES ? n_bytes : SEARCHED_BYTES;
	bytes = xcalloc(1, n_bytes);
	n_bytes = process_read(process, mapping->start_va, bytes, n_bytes);
	for (size_t i = 0; i + 1 < n_bytes && !found; i++) {
		if (bytes[i] != 0x0f || bytes[i + 1] != 0x05 || process_find_breakpoint(process, mapping->start_va + i))
			continue;
		cache->syscall_va = mapping->start_va + i;
		found = true;
	}
	for (size_t i = 0; i < n_bytes; i++)
		if (!bytes[i])
			cache->empty_va = mapping->start_va + i;
	free(bytes);
	return found && cache->empty_va;
}

static bool find_syscall(struct cache *cache, const struct process *process, const struct mapping_list *mappings)
{
	/* The vDSO is small and has one. */
	for (size_t i = 0; i < mappings->n_mappings; i++)
		if (strcmp(mappings->mappings[i].path, "[vdso]") == 0 &&
		    search_mapping(cache, process, &mappings->mappings[i]))
			return true;
	for (size_t i = 0; i < mappings->n_mappings; i++)
		if (search_mapping(cache, process, &mappings->mappings[i]))
			return true;
	return false;
}

static bool is_free(const struct mapping_list *mappings, uint64_t va, uint64_t n_bytes)
{
	for (size_t i = 0; i < mappings->n_mappings; i++)
		if (mappings->mappings[i].start_va < va + n_bytes && va < mappings->mappings[i].end_va)
			return false;
	return true;
}

static bool is_near(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) < REACH_BYTES;
}

/* Where n_bytes are free, in reach of near_va; 0: nowhere. */
static uint64_t find_room(const struct mapping_list *mappings, uint64_t near_va, uint64_t n_bytes)
{
	uint64_t near_page = near_va & ~(STEP_BYTES - 1);

	for (uint64_t gap = GAP_BYTES; gap < REACH_BYTES; gap += STEP_BYTES)
		if (near_page > gap + LOWEST_VA && is_free(mappings, near_page - gap, n_bytes))
			return near_page - gap;
	for (uint64_t gap = GAP_BYTES; gap + n_bytes < REACH_BYTES; gap += STEP_BYTES)
		if (is_free(mappings, near_page + gap, n_bytes))
			return near_page + gap;
	for (uint64_t gap = GAP_BYTES; gap > n_bytes; gap -= STEP_BYTES)
		if (near_page > gap + LOWEST_VA && is_free(mappings, near_page - gap, n_bytes))
			return near_page - gap;
	return 0;
}

static bool call(struct target *target, struct thread *thread, uint64_t syscall_va, long number,
		 const uint64_t arguments[6], uint64_t *result)
{
	int64_t value;

	if (!thread_call(target, thread, syscall_va, number, arguments, &value) || (value < 0 && value > -4096))
		return false;
	*result = (uint64_t)value;
	return true;
}

/* Maps n_bytes of new shared memory into the program at va and here. In the program, addresses without memory follow. */
static uint8_t *map_shared(const struct cache *cache, struct target *target, struct thread *thread, uint64_t va,
			   size_t n_bytes, size_t n_guard_bytes, int protection)
{
	uint64_t fd, got, ignored;
	void *view = MAP_FAILED;
	int own_fd;

	if (!call(target, thread, cache->syscall_va, SYS_memfd_create, (uint64_t[6]){cache->empty_va, MFD_CLOEXEC},
		  &fd))
		return NULL;
	own_fd = thread_open_descriptor(thread, (int)fd);
	if (own_fd >= 0 && ftruncate(own_fd, (off_t)n_bytes) == 0 &&
	    call(target, thread, cache->syscall_va, SYS_mmap,
		 (uint64_t[6]){va, n_bytes + n_guard_bytes, (uint64_t)protection,
			       MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd, 0},
		 &got) &&
	    got == va) {
		/* A forked child runs its own code. */
		call(target, thread, cache->syscall_va, SYS_madvise,
		     (uint64_t[6]){va, n_bytes + n_guard_bytes, MADV_DONTFORK}, &ignored);
		view = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, own_fd, 0);
	}
	call(target, thread, cache->syscall_va, SYS_close, (uint64_t[6]){fd}, &ignored);
	if (own_fd >= 0)
		close(own_fd);
	return view == MAP_FAILED ? NULL : view;
}

static uint8_t *map_near(struct cache *cache, struct target *target, struct thread *thread, uint64_t near_va,
			 size_t n_bytes, size_t n_guard_bytes, int protection, uint64_t *va)
{
	struct mapping_list mappings;
	struct error ignored = {0};
	uint8_t *bytes = NULL;

	if (cache_is_exhausted(cache) || !process_read_mappings(thread->process, &mappings, &ignored))
		return NULL;
	*va = find_room(&mappings, near_va, n_bytes + n_guard_bytes);
	mapping_list_deinit(&mappings);
	if (*va)
		bytes = map_shared(cache, target, thread, *va, n_bytes, n_guard_bytes, protection);
	if (!bytes)
		cache->n_failures++;
	return bytes;
}

bool cache_is_exhausted(const struct cache *cache)
{
	return cache->n_failures >= FAILURES_MAX;
}

static bool add_area(struct cache *cache, struct target *target, struct thread *thread, uint64_t near_va)
{
	struct area area = {0};

	area.bytes = map_near(cache, target, thread, near_va, AREA_BYTES, AREA_GUARD_BYTES, PROT_READ | PROT_WRITE,
			      &area.va);
	if (!area.bytes)
		return false;
	*ARRAY_ADD(cache, areas) = xcalloc(1, sizeof(area));
	*cache->areas[cache->n_areas - 1] = area;
	return true;
}

bool cache_open(struct cache *cache, struct target *target, struct thread *thread, uint64_t near_va)
{
	struct mapping_list mappings;
	struct error ignored = {0};
	bool found;

	if (thread_is_confined(thread) || thread_has_shadow_stack(thread) ||
	    process_address_space_left(thread->process) < ROOM_BYTES ||
	    !process_read_mappings(thread->process, &mappings, &ignored))
		return false;
	found = find_syscall(cache, thread->process, &mappings);
	mapping_list_deinit(&mappings);
	if (!found)
		return false;
	return add_area(cache, target, thread, near_va);
}

/* Makes a part of a new area the same memory as that of the first: an old size of 0 doubles a shared mapping (mremap(2)). */
static bool join(const struct cache *cache, struct target *target, struct thread *thread, const struct area *area,
		 uint64_t begin, uint64_t end)
{
	const uint64_t arguments[6] = {cache->areas[0]->va + begin, 0, end - begin, MREMAP_MAYMOVE | MREMAP_FIXED,
				       area->va + begin};
	uint64_t got;

	return call(target, thread, cache->syscall_va, SYS_mremap, arguments, &got) && got == arguments[4];
}

struct area *cache_take_area(struct cache *cache, struct target *target, struct thread *thread)
{
	struct area *area = NULL;

	for (size_t i = 0; i < cache->n_areas && !area; i++)
		if (!cache->areas[i]->is_taken)
			area = cache->areas[i];
	if (!area) {
		if (!add_area(cache, target, thread, cache->areas[0]->va))
			return NULL;
		area = cache->areas[cache->n_areas - 1];
		if (!join(cache, target, thread, area, AREA_COMMON, AREA_COMMON_END) ||
		    !join(cache, target, thread, area, AREA_TABLE, AREA_LOG)) {
			munmap(area->bytes, AREA_BYTES);
			free(area);
			cache->n_areas--;
			return NULL;
		}
	}
	area->is_taken = true;
	*area_word(area, AREA_LOG_POINTER) = area->va + AREA_LOG;
	*area_word(area, AREA_EDGES_FREE) = EDGES_BYTES;
	return area;
}

void cache_release_area(struct area *area)
{
	area->is_taken = false;
}

bool cache_serves(const struct zone *zone, uint64_t va)
{
	return is_near(zone->va, va) && is_near(zone->va + ZONE_BYTES, va);
}

struct zone *cache_zone_near(struct cache *cache, struct target *target, struct thread *thread, uint64_t va)
{
	struct zone *zone;

	for (size_t i = 0; i < cache->n_zones; i++)
		if (cache_serves(&cache->zones[i], va))
			return &cache->zones[i];
	if (cache->n_zones == ZONES_MAX)
		return NULL;
	zone = &cache->zones[cache->n_zones];
	*zone = (struct zone){0};
	zone->bytes = map_near(cache, target, thread, va, ZONE_BYTES, 0, PROT_READ | PROT_EXEC, &zone->va);
	if (!zone->bytes)
		return NULL;
	cache->n_zones++;
	return zone;
}

struct zone *cache_find_zone(struct cache *cache, uint64_t va)
{
	for (size_t i = 0; i < cache->n_zones; i++)
		if (va - cache->zones[i].va < ZONE_BYTES)
			return &cache->zones[i];
	return NULL;
}

void cache_unmap(const struct cache *cache, struct target *target, struct thread *thread)
{
	uint64_t ignored;

	for (size_t i = 0; i < cache->n_areas; i++)
		call(target, thread, cache->syscall_va, SYS_munmap,
		     (uint64_t[6]){cache->areas[i]->va, AREA_BYTES + AREA_GUARD_BYTES}, &ignored);
	for (size_t i = 0; i < cache->n_zones; i++)
		call(target, thread, cache->syscall_va, SYS_munmap, (uint64_t[6]){cache->zones[i].va, ZONE_BYTES},
		     &ignored);
}

void cache_close(struct cache *cache)
{
	for (size_t i = 0; i < cache->n_areas; i++) {
		munmap(cache->areas[i]->bytes, AREA_BYTES);
		free(cache->areas[i]);
	}
	free(cache->areas);
	for (size_t i = 0; i < cache->n_zones; i++)
		munmap(cache->zones[i].bytes, ZONE_BYTES);
	*cache = (struct cache){0};
}
