#include "engine/translate/cache.h"

#include <assert.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "engine/translate/cache_room.h"

/* from the start of one area to that of the next */
#define AREA_STRIDE_BYTES UINT64_C(0x2000000)
static_assert(AREA_BYTES + AREA_GUARD_BYTES <= AREA_STRIDE_BYTES, "areas do not overlap");

/* Address space that must be free in the program: two or three zones, some areas, and as much again for the program,
 * which must not run out of memory earlier than without itrace. */
#define ROOM_BYTES (UINT64_C(512) << 20)

/* A stop of another thread may make one attempt fail. A limit makes every attempt fail, and each attempt makes system
 * calls in the program. */
enum { FAILURES_MAX = 3 };

#define LOW_END_VA (UINT64_C(1) << 32)

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
	/* The vDSO is searched first: it is small and contains a SYSCALL. */
	for (size_t i = 0; i < mappings->n_mappings; i++)
		if (strcmp(mappings->mappings[i].path, "[vdso]") == 0 &&
		    search_mapping(cache, process, &mappings->mappings[i]))
			return true;
	for (size_t i = 0; i < mappings->n_mappings; i++)
		if (search_mapping(cache, process, &mappings->mappings[i]))
			return true;
	return false;
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

/* Memory that itrace and the program share. */
struct request {
	uint64_t va;	      /* in the program */
	size_t n_bytes;	      /* mapped in both */
	size_t n_guard_bytes; /* inaccessible addresses after the bytes, in the program */
	int protection;	      /* in the program */
	int fd;		      /* itrace's descriptor of the memory; -1: map_shared() makes new memory and sets this */
};

/* Opens new memory, or that of own_fd, in the program. *fd becomes the program's descriptor. */
static bool open_in_program(const struct cache *cache, struct target *target, struct thread *thread, int own_fd,
			    uint64_t *fd)
{
	enum { RED_ZONE_BYTES = 128, PATH_BYTES = 64 };
	char path[PATH_BYTES] = {0}, saved[PATH_BYTES];
	struct target_regs regs;
	uint64_t va;
	bool ok;

	if (own_fd < 0)
		return call(target, thread, cache->syscall_va, SYS_memfd_create,
			    (uint64_t[6]){cache->empty_va, MFD_CLOEXEC}, fd);
	target_own_descriptor_path(own_fd, path, sizeof(path));
	if (!thread_get_regs(thread, &regs))
		return false;
	/* The bytes below the red zone are free for use, but a debugger may look at them. */
	va = regs.rsp - RED_ZONE_BYTES - PATH_BYTES;
	if (process_read(thread->process, va, saved, sizeof(saved)) < sizeof(saved) ||
	    !process_write(thread->process, va, path, sizeof(path)))
		return false;
	ok = call(target, thread, cache->syscall_va, SYS_openat,
		  (uint64_t[6]){(uint64_t)AT_FDCWD, va, O_RDWR | O_CLOEXEC}, fd);
	process_write(thread->process, va, saved, sizeof(saved));
	return ok;
}

/* Maps request->fd into the program. */
static bool map_in_program(const struct cache *cache, struct target *target, struct thread *thread,
			   const struct request *request, uint64_t fd)
{
	size_t n_bytes = request->n_bytes + request->n_guard_bytes;
	uint64_t got, ignored;

	if (!call(target, thread, cache->syscall_va, SYS_mmap,
		  (uint64_t[6]){request->va, n_bytes, (uint64_t)request->protection,
				MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd, 0},
		  &got) ||
	    got != request->va)
		return false;
	/* A forked child runs its own code and needs no copy. */
	call(target, thread, cache->syscall_va, SYS_madvise, (uint64_t[6]){request->va, n_bytes, MADV_DONTFORK},
	     &ignored);
	return true;
}

/* Maps memory into the program, and new memory here, too. Returns itrace's mapping of new memory; NULL: failed. */
static uint8_t *map_shared(const struct cache *cache, struct target *target, struct thread *thread,
			   struct request *request)
{
	void *view = MAP_FAILED;
	uint64_t fd, ignored;
	bool is_mapped;

	request->fd = -1;
	if (!open_in_program(cache, target, thread, -1, &fd))
		return NULL;
	request->fd = thread_open_descriptor(thread, (int)fd);
	is_mapped = request->fd >= 0 && ftruncate(request->fd, (off_t)request->n_bytes) == 0 &&
		    map_in_program(cache, target, thread, request, fd);
	if (is_mapped)
		view = mmap(NULL, request->n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, request->fd, 0);
	call(target, thread, cache->syscall_va, SYS_close, (uint64_t[6]){fd}, &ignored);
	if (view != MAP_FAILED)
		return view;
	if (request->fd >= 0)
		close(request->fd);
	return NULL;
}

/* Maps memory that itrace has already into the program. */
static bool map_again(const struct cache *cache, struct target *target, struct thread *thread,
		      const struct request *request)
{
	uint64_t fd, ignored;
	bool ok;

	if (!open_in_program(cache, target, thread, request->fd, &fd))
		return false;
	ok = map_in_program(cache, target, thread, request, fd);
	call(target, thread, cache->syscall_va, SYS_close, (uint64_t[6]){fd}, &ignored);
	return ok;
}

/* As map_shared, at an address for a zone with code near near_va, or for an area if near_va is 0; sets request->va. */
static uint8_t *map_near(struct cache *cache, struct target *target, struct thread *thread, uint64_t near_va,
			 struct request *request)
{
	size_t n_bytes = request->n_bytes + request->n_guard_bytes;
	struct mapping_list mappings;
	struct error ignored = {0};
	struct room_request room = {.process = thread->process,
				    .mappings = &mappings,
				    .n_bytes = n_bytes,
				    .leaves_32bit = cache->leaves_32bit};
	uint8_t *bytes = NULL;

	if (!process_read_mappings(thread->process, &mappings, &ignored))
		return NULL;
	request->va = near_va ? cache_room_near(&room, near_va) : 0;
	if (!request->va && !(near_va && cache->n_zones))
		request->va = cache_room_anywhere(&room);
	mapping_list_deinit(&mappings);
	if (request->va)
		bytes = map_shared(cache, target, thread, request);
	return bytes;
}

bool cache_is_exhausted(const struct cache *cache)
{
	return cache->n_failures >= FAILURES_MAX;
}

static bool add_area(struct cache *cache, struct target *target, struct thread *thread)
{
	struct request request = {.n_bytes = AREA_BYTES,
				  .n_guard_bytes = AREA_GUARD_BYTES,
				  .protection = PROT_READ | PROT_WRITE};
	uint8_t *bytes = NULL;
	struct area *area;

	/* Reading the memory map takes longer the more threads there are. */
	if (cache->n_areas) {
		request.va = cache->areas[cache->n_areas - 1]->va - AREA_STRIDE_BYTES;
		bytes = map_shared(cache, target, thread, &request);
	}
	if (!bytes && !cache_is_exhausted(cache))
		bytes = map_near(cache, target, thread, 0, &request);
	if (!bytes) {
		cache->n_failures++;
		return false;
	}
	area = xcalloc(1, sizeof(*area));
	area->va = request.va;
	area->bytes = bytes;
	area->fd = request.fd;
	if (cache->n_areas) {
		close(area->fd);
		area->fd = -1;
	}
	*ARRAY_ADD(cache, areas) = area;
	return true;
}

/* Returns true if memory can be mapped into the program. Finds what the cache needs of the program's memory. */
static bool explore(struct cache *cache, struct thread *thread)
{
	struct mapping_list mappings;
	struct error ignored = {0};
	bool found;

	if (thread_is_confined(thread) || thread_has_shadow_stack(thread) ||
	    process_address_space_left(thread->process) < ROOM_BYTES ||
	    !process_read_mappings(thread->process, &mappings, &ignored))
		return false;
	found = find_syscall(cache, thread->process, &mappings);
	cache->has_low_heap = mappings.n_mappings && mappings.mappings[0].start_va < LOW_END_VA;
	mapping_list_deinit(&mappings);
	return found;
}

bool cache_open(struct cache *cache, struct target *target, struct thread *thread)
{
	return explore(cache, thread) && add_area(cache, target, thread);
}

void cache_reduce(struct cache *cache)
{
	for (; cache->n_areas > 1; cache->n_areas--) {
		munmap(cache->areas[cache->n_areas - 1]->bytes, AREA_BYTES);
		free(cache->areas[cache->n_areas - 1]);
	}
	cache->areas[0]->is_taken = false;
	cache->n_failures = cache->n_zone_failures = 0;
}

bool cache_reopen(struct cache *cache, struct target *target, struct thread *thread, const int64_t *moves)
{
	struct area *area = cache->areas[0];
	const struct request request = {.va = area->va,
					.n_bytes = AREA_BYTES,
					.n_guard_bytes = AREA_GUARD_BYTES,
					.protection = PROT_READ | PROT_WRITE,
					.fd = area->fd};

	for (size_t i = 0; i < cache->n_zones; i++)
		cache->zones[i].va += (uint64_t)moves[i];
	if (!explore(cache, thread) || !map_again(cache, target, thread, &request))
		return false;
	for (size_t i = 0; i < cache->n_zones; i++) {
		const struct zone *zone = &cache->zones[i];

		if (!map_again(cache, target, thread,
			       &(const struct request){.va = zone->va,
						       .n_bytes = ZONE_BYTES,
						       .protection = PROT_READ | PROT_EXEC,
						       .fd = zone->fd}))
			return false;
	}
	return true;
}

/* Maps a part of the first area into a new area: mremap(2) with an old size of 0 maps shared memory a second time. */
static bool share_part(const struct cache *cache, struct target *target, struct thread *thread, const struct area *area,
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
		if (!add_area(cache, target, thread))
			return NULL;
		area = cache->areas[cache->n_areas - 1];
		if (!share_part(cache, target, thread, area, AREA_COMMON, AREA_COMMON_END) ||
		    !share_part(cache, target, thread, area, AREA_TABLE, AREA_LOG)) {
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

bool cache_serves(const struct zone *zone, uint64_t va)
{
	return cache_room_is_near(zone->va, va) && cache_room_is_near(zone->va + ZONE_BYTES, va);
}

struct zone *cache_zone_near(struct cache *cache, struct target *target, struct thread *thread, uint64_t va)
{
	struct request request = {.n_bytes = ZONE_BYTES, .protection = PROT_READ | PROT_EXEC};
	struct zone *zone;
	uint8_t *bytes;

	for (size_t i = 0; i < cache->n_zones; i++)
		if (cache_serves(&cache->zones[i], va))
			return &cache->zones[i];
	if (cache->n_zones == ZONES_MAX || cache->n_zone_failures >= FAILURES_MAX)
		return &cache->zones[0];
	bytes = map_near(cache, target, thread, va, &request);
	if (!bytes) {
		cache->n_zone_failures++;
		return cache->n_zones ? &cache->zones[0] : NULL;
	}
	zone = &cache->zones[cache->n_zones++];
	*zone = (struct zone){.va = request.va, .bytes = bytes, .fd = request.fd};
	return zone;
}

struct zone *cache_find_zone(struct cache *cache, uint64_t va)
{
	for (size_t i = 0; i < cache->n_zones; i++)
		if (va - cache->zones[i].va < ZONE_BYTES)
			return &cache->zones[i];
	return NULL;
}

bool cache_overlaps_zones(const struct cache *cache, uint64_t start_va, uint64_t end_va)
{
	for (size_t i = 0; i < cache->n_zones; i++)
		if (cache->zones[i].va < end_va && start_va < cache->zones[i].va + ZONE_BYTES)
			return true;
	return false;
}

bool cache_overlaps(const struct cache *cache, uint64_t start_va, uint64_t end_va)
{
	for (size_t i = 0; i < cache->n_areas; i++)
		if (cache->areas[i]->va < end_va && start_va < cache->areas[i]->va + AREA_BYTES + AREA_GUARD_BYTES)
			return true;
	return cache_overlaps_zones(cache, start_va, end_va);
}

/* The program may have mapped its own memory there. */
static bool is_shared_memory(const struct mapping *mapping)
{
	return mapping->shared && strcmp(mapping->path, "/memfd: (deleted)") == 0;
}

static bool is_mapped(const struct mapping_list *mappings, uint64_t start_va, uint64_t n_bytes)
{
	for (uint64_t va = start_va; va < start_va + n_bytes;) {
		const struct mapping *mapping = mapping_find(mappings, va);

		if (!mapping || !is_shared_memory(mapping))
			return false;
		va = mapping->end_va;
	}
	return true;
}

bool cache_is_mapped(const struct cache *cache, const struct mapping_list *mappings)
{
	for (size_t i = 0; i < cache->n_areas; i++)
		if (!is_mapped(mappings, cache->areas[i]->va, AREA_BYTES + AREA_GUARD_BYTES))
			return false;
	for (size_t i = 0; i < cache->n_zones; i++)
		if (!is_mapped(mappings, cache->zones[i].va, ZONE_BYTES))
			return false;
	return true;
}

void cache_unmap(const struct cache *cache, struct target *target, struct thread *thread)
{
	struct mapping_list mappings;
	struct error ignored = {0};
	uint64_t result;

	if (!process_read_mappings(thread->process, &mappings, &ignored))
		return;
	for (size_t i = 0; i < mappings.n_mappings; i++) {
		const struct mapping *mapping = &mappings.mappings[i];

		if (is_shared_memory(mapping) && cache_overlaps(cache, mapping->start_va, mapping->end_va))
			call(target, thread, cache->syscall_va, SYS_munmap,
			     (uint64_t[6]){mapping->start_va, mapping->end_va - mapping->start_va}, &result);
	}
	mapping_list_deinit(&mappings);
}

void cache_close(struct cache *cache)
{
	for (size_t i = 0; i < cache->n_areas; i++) {
		munmap(cache->areas[i]->bytes, AREA_BYTES);
		if (cache->areas[i]->fd >= 0)
			close(cache->areas[i]->fd);
		free(cache->areas[i]);
	}
	free(cache->areas);
	for (size_t i = 0; i < cache->n_zones; i++) {
		munmap(cache->zones[i].bytes, ZONE_BYTES);
		close(cache->zones[i].fd);
	}
	*cache = (struct cache){.leaves_32bit = cache->leaves_32bit};
}
