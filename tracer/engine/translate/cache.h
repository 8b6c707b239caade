/* Memory that itrace and the traced program share: zones of translated code, which the program may execute and only itrace write, and
 * for each thread an area of data that translated code reaches through GS. A part of it is common to all areas.
 *
 * The program's own mappings come to lie where they would without us. A zone lies within 2 GB of the modules whose code it holds, so that
 * RIP-relative operands keep their form: between all mappings and the stack, where Linux maps nothing by itself, or else 1 GB away from the modules. Areas
 * lie below all programs.
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
	TABLE_ENTRIES = 1 << 16,
	TABLE_SLOTS_MAX = 425984, /* of all parts of the table together */
	RECORDS_MAX = 2048,
	COUNTERS_MAX = 1 << 21,
	LOG_BYTES = 1 << 22,
};

/* A data area, by distance from the base of GS. */
enum {
	AREA_RCX = 0x00,    /* the program's, while translated code uses RCX */
	AREA_TARGET = 0x08, /* where an indirect transfer goes */
	AREA_RAX = 0x10,
	AREA_R11 = 0x18,
	AREA_WATCH = 0x20,	       /* not 0: stop before a stack pointer is loaded with which a visit may end ... */
	AREA_LIMIT = 0x28,	       /* ... that is, one from this on */
	AREA_FROM = 0x30,	       /* uint32_t: how the last block was left, if transfers are counted (edges.h) */
	AREA_OWN = 0x38,	       /* the program's register that points into the log meanwhile ... */
	AREA_LOG = 0x40,	       /* ... and what it is for translated code, while it does not */
	AREA_FS = 0x48,		       /* the program's base of FS, when the thread last stopped */
	AREA_RECORD = 0x50,	       /* how many bytes of AREA_RECORDS are free, from its begin on */
	AREA_SYSCALL_COUNTS = 0x1000,  /* uint64_t [SYSCALL_NUMBERS] */
	AREA_RECORDS = 0x2000,	       /* struct record [RECORDS_MAX] (edges.h), the last ones first */
	AREA_COMMON = 0x10000,	       /* from here on it is the same memory in all areas ... */
	AREA_SYSCALL_NATIVE = 0x10000, /* uint8_t [65536]: 1 where translated code may perform the call itself */
	AREA_COMMON_END = 0x20000,     /* ... up to here, and the table */
	AREA_COUNTERS = 0x100000,      /* uint64_t [COUNTERS_MAX] */
	AREA_TABLE = AREA_COUNTERS + COUNTERS_MAX * 8,	/* uint64_t [TABLE_SLOTS_MAX]: where to go on, by a site
							  and the low bits of a target */
	AREA_LOGGED = AREA_TABLE + TABLE_SLOTS_MAX * 8, /* LOG_BYTES of records */
	AREA_BYTES = AREA_LOGGED + LOG_BYTES,
	RECORDS_BYTES = RECORDS_MAX * 16,
	AREA_GUARD_BYTES = 0x1000, /* behind it: accesses raise SIGBUS */
};

struct zone {
	uint64_t va;
	uint8_t *bytes; /* [ZONE_BYTES], itrace's view */
	size_t n_used;
};

struct area {
	uint64_t va;
	uint8_t *bytes; /* [AREA_BYTES], itrace's view, but the common part is seen in the first area only */
	bool is_taken;	/* by a thread */
};

struct cache {
	struct zone zones[ZONES_MAX];
	size_t n_zones;
	struct area **areas; /* none: nothing is mapped */
	size_t n_areas, areas_capacity;
	uint64_t syscall_va; /* a SYSCALL instruction of the program's */
	uint64_t empty_va;   /* an empty string in the program's memory */
	unsigned n_failures; /* to map memory */
};

/* Maps the first area. The thread is stopped and about to receive no signal. False when the program or the system does not let us. */
bool cache_open(struct cache *cache, struct target *target, struct thread *thread);

/* An area for another thread, stopped likewise: a released one, whose counters are all 0, or a new one. NULL when that is impossible. */
struct area *cache_take_area(struct cache *cache, struct target *target, struct thread *thread);
void cache_release_area(struct area *area);

/* The zone for code at va, mapped if need be; NULL when that is impossible. */
struct zone *cache_zone_near(struct cache *cache, struct target *target, struct thread *thread, uint64_t va);

/* Whether mapping memory has failed so often that it is not tried any more. */
bool cache_is_exhausted(const struct cache *cache);

/* Whether all of a zone is in reach of va. */
bool cache_serves(const struct zone *zone, uint64_t va);

/* The zone that holds an address of translated code, or NULL. */
struct zone *cache_find_zone(struct cache *cache, uint64_t va);

/* Whether what was mapped lies in a range of the program's memory. */
bool cache_overlaps(const struct cache *cache, uint64_t start_va, uint64_t end_va);

/* Unmaps from the program what was mapped into it. The thread is stopped as for cache_open. */
void cache_unmap(const struct cache *cache, struct target *target, struct thread *thread);

/* Releases itrace's view. What is mapped in the program stays there: harmless, or gone with its address space. */
void cache_close(struct cache *cache);

static inline uint64_t *area_word(const struct area *area, uint64_t offset)
{
	return (uint64_t *)(void *)(area->bytes + offset);
}

/* In the common part. */
static inline uint64_t *cache_word(const struct cache *cache, uint64_t offset)
{
	return area_word(cache->areas[0], offset);
}

#endif
