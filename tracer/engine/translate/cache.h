/* The code cache: memory that itrace and the traced program share. Zones contain translated code, which the program
 * may execute and only itrace can write. Each thread has an area of data that translated code accesses through GS. A
 * part of the area is common to all areas.
 *
 * The program's own mappings get the same addresses as without itrace. If there is room, a zone is within 2 GB of the
 * modules of which it contains code, so that RIP-relative operands keep their form. The first choice is between all
 * mappings and the stack, where Linux maps nothing by itself. The second choice is 1 GB away from the modules. Areas
 * are below all programs. If the program asks for an address of the cache, the cache is moved
 * (consistency/give_way.h).
 */
#ifndef ITRACE_ENGINE_TRANSLATE_CACHE_H
#define ITRACE_ENGINE_TRANSLATE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

enum {
	ZONE_BYTES = 64 << 20,
	ZONES_MAX = 8,
	SYSCALL_NUMBERS = 512,
	TABLE_ENTRIES = 1 << 16,  /* entries of one lookup site: one for each value of the target's low 16 bits */
	TABLE_SLOTS_MAX = 425984, /* entries of all kinds of lookup sites together (link/ibl.h) */
	EDGE_RECORDS_MAX = 2048,
	COUNTERS_MAX = 1 << 21,
	LOG_BYTES = 1 << 22,
};

/* Offsets in an area, from the base of GS. */
enum {
	AREA_RCX = 0x00,    /* the program's RCX, while translated code uses the register */
	AREA_TARGET = 0x08, /* target of the last indirect branch */
	AREA_RAX = 0x10,
	AREA_R11 = 0x18,
	AREA_WATCH = 0x20,     /* nonzero: exit before an instruction sets RSP to AREA_LIMIT or more */
	AREA_LIMIT = 0x28,     /* lowest value of RSP at which a visit may end */
	AREA_LAST_EXIT = 0x30, /* uint32_t: counter by which the latest fragment was left (emit/emit_edges.h) */
	AREA_STOLEN = 0x38, /* the program's value of the stolen register (log/log.h) while that is the log pointer */
	AREA_LOG_POINTER = 0x40,       /* the log pointer while the stolen register has the program's value */
	AREA_FS = 0x48,		       /* the program's base of FS at the thread's latest stop */
	AREA_GS = 0x50,		       /* the program's base of GS */
	AREA_EDGES_FREE = 0x58,	       /* free bytes of AREA_EDGES, which is filled from its end downwards */
	AREA_SYSCALL_COUNTS = 0x1000,  /* uint64_t [SYSCALL_NUMBERS] */
	AREA_EDGES = 0x2000,	       /* struct edge_record [EDGE_RECORDS_MAX], the newest first */
	AREA_COMMON = 0x10000,	       /* all areas share the memory up to AREA_COMMON_END, and AREA_TABLE */
	AREA_SYSCALL_NATIVE = 0x10000, /* uint8_t [65536]: 1 for system calls that translated code performs itself */
	AREA_COMMON_END = 0x20000,
	AREA_COUNTERS = 0x100000,		       /* uint64_t [COUNTERS_MAX] */
	AREA_TABLE = AREA_COUNTERS + COUNTERS_MAX * 8, /* uint64_t [TABLE_SLOTS_MAX]: addresses in the cache */
	AREA_LOG = AREA_TABLE + TABLE_SLOTS_MAX * 8,   /* LOG_BYTES of records (log/log.h) */
	AREA_BYTES = AREA_LOG + LOG_BYTES,
	EDGES_BYTES = EDGE_RECORDS_MAX * 16,
	AREA_GUARD_BYTES = 0x1000, /* after the area; accesses raise SIGBUS */
};

/* A transfer of control that no counter counts (AREA_EDGES). */
struct edge_record {
	uint64_t target_va;
	uint64_t from; /* counter, as in AREA_LAST_EXIT */
};

struct zone {
	uint64_t va;
	uint8_t *bytes; /* [ZONE_BYTES], itrace's mapping */
	int fd;		/* its memfd */
	size_t n_used;
};

struct area {
	uint64_t va;
	uint8_t *bytes; /* [AREA_BYTES], itrace's mapping; only that of the first area includes the common parts */
	bool is_taken;	/* a thread uses it */
	int fd;		/* the memfd of the first area; -1 for others */
};

struct cache {
	struct zone zones[ZONES_MAX];
	size_t n_zones;
	struct area **areas; /* [n_areas]; n_areas 0: nothing is mapped */
	size_t n_areas, areas_capacity;
	uint64_t syscall_va;		      /* a SYSCALL instruction in the program's memory */
	uint64_t empty_va;		      /* an empty string in the program's memory */
	bool has_low_heap;		      /* the program is below 4 GB, and its heap may grow up to a zone */
	bool leaves_32bit;		      /* no zone may be in the range of MAP_32BIT */
	unsigned n_failures, n_zone_failures; /* failed attempts to map areas and zones */
};

/* Maps the first area. The thread is stopped and no signal awaits delivery to it. Returns false if the program or the
 * system refuses. */
bool cache_open(struct cache *cache, struct target *target, struct thread *thread);

/* Frees all areas but the first: the process has ended. The cache can then be mapped into another one. */
void cache_reduce(struct cache *cache);

/* Maps a cache of an earlier process, as cache_open. Zone i lies moves[i] bytes higher than before. On failure, a part
 * of the cache may be mapped. */
bool cache_reopen(struct cache *cache, struct target *target, struct thread *thread, const int64_t *moves);

/* Returns an area for another thread, which is stopped as for cache_open. The area is one that no thread
 * uses any more, with all counters 0, or a new one. Returns NULL if memory cannot be mapped. */
struct area *cache_take_area(struct cache *cache, struct target *target, struct thread *thread);

/* Returns a zone for code at va. Maps a zone in reach if needed. If that fails, returns a zone out of reach, or NULL
 * if there is none. */
struct zone *cache_zone_near(struct cache *cache, struct target *target, struct thread *thread, uint64_t va);

/* Returns true if mapping areas has failed so often that the cache does not try again. */
bool cache_is_exhausted(const struct cache *cache);

/* Returns true if a 32-bit displacement reaches va from every address of the zone. */
bool cache_serves(const struct zone *zone, uint64_t va);

/* Returns the zone that contains this address of translated code, or NULL. */
struct zone *cache_find_zone(struct cache *cache, uint64_t va);

/* Returns true if a zone overlaps a range of the program's memory. */
bool cache_overlaps_zones(const struct cache *cache, uint64_t start_va, uint64_t end_va);
/* Returns true if a zone or an area does. */
bool cache_overlaps(const struct cache *cache, uint64_t start_va, uint64_t end_va);

/* Returns true if all of the cache is still mapped. */
bool cache_is_mapped(const struct cache *cache, const struct mapping_list *mappings);

/* Unmaps all parts of zones and areas that are still mapped in the program. The thread is stopped as for cache_open. */
void cache_unmap(const struct cache *cache, struct target *target, struct thread *thread);

/* Releases itrace's mappings. Those in the program remain, unless its address space is gone. */
void cache_close(struct cache *cache);

/* Returns the code at va of a zone in itrace's mapping. */
static inline uint8_t *zone_bytes(const struct zone *zone, uint64_t va)
{
	return zone->bytes + (va - zone->va);
}

static inline uint64_t *area_word(const struct area *area, uint64_t offset)
{
	return (uint64_t *)(void *)(area->bytes + offset);
}

/* Returns a pointer to a word of the common parts. */
static inline uint64_t *cache_word(const struct cache *cache, uint64_t offset)
{
	return area_word(cache->areas[0], offset);
}

#endif
