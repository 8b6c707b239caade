/* The data caches and TLBs of one core, simulated over the addresses of a program.
 *
 * Each level keeps lines of CACHE_LINE_BYTES, or pages of 4 KiB, in sets with LRU replacement. A miss fills the
 * level and all levels above it. Stores allocate lines as loads do. A prefetcher follows ascending and descending
 * lines within a page. From the third line on it brings the next line into L1, L2 and L3, and CACHE_PREFETCHED more
 * lines into L2 and L3. Prefetched lines arrive at once. Addresses are virtual. No other core and no fetch of code uses
 * the caches.
 */
#ifndef ITRACE_COSTMODELS_PREDICTORS_CACHE_H
#define ITRACE_COSTMODELS_PREDICTORS_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "costmodels/model/model.h"

enum { CACHE_LINE_BYTES = 64, CACHE_PREFETCHED = 4, CACHE_STREAMS = 16 };

enum cache_level { CACHE_L1, CACHE_L2, CACHE_L3, CACHE_DTLB, CACHE_STLB, N_CACHE_LEVELS };

/* Number of lines or pages, and of ways, of each level. */
struct cache_geometry {
	uint32_t entries[N_CACHE_LEVELS];
	uint32_t ways[N_CACHE_LEVELS];
};

/* Reads a model's geometry from its parameters (data/FORMAT.md). Returns false if it states none. */
bool cache_geometry_from_model(const struct model *model, struct cache_geometry *out);

/* "512/8 16384/8 524288/16 72/72 3072/24": identifies a geometry. */
#define CACHE_GEOMETRY_BYTES 128
void cache_geometry_text(const struct cache_geometry *geometry, char text[CACHE_GEOMETRY_BYTES]);

struct cache;

struct cache *cache_create(const struct cache_geometry *geometry);
void cache_destroy(struct cache *cache);

/* The levels that had the line and the translation of an access. All false: the access hit the L1 cache and first
 * TLB. */
struct cache_found {
	bool in_l2, in_l3, in_memory; /* at most one of these */
	bool in_stlb, in_page_tables; /* at most one of these */
};

/* Simulates an access within one line. */
struct cache_found cache_access(struct cache *cache, uint64_t va);

#endif
