/* The data caches and TLBs of one core, simulated over the addresses that a program accesses.
 *
 * Each level keeps lines of CACHE_LINE_BYTES, or pages of 4 KiB, in sets of some ways, and replaces the one that was used
 * longest ago. What a level lacks is brought into it and all above. Stores bring in lines as loads do. A prefetcher
 * follows ascending and descending lines within a page: from the third one on it brings the next line into the first level, and
 * CACHE_PREFETCHED more into the second and third one, in time. Addresses are virtual; nothing else uses the caches.
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

/* Lines, or pages, and ways of each level. */
struct cache_geometry {
	uint32_t entries[N_CACHE_LEVELS];
	uint32_t ways[N_CACHE_LEVELS];
};

/* A model's, from its parameters (data/FORMAT.md); false: it states none. */
bool cache_geometry_of_model(const struct model *model, struct cache_geometry *out);

/* "512/8 16384/8 524288/16 72/72 3072/24": what tells geometries apart. */
#define CACHE_GEOMETRY_BYTES 128
void cache_geometry_text(const struct cache_geometry *geometry, char text[CACHE_GEOMETRY_BYTES]);

struct cache;

struct cache *cache_create(const struct cache_geometry *geometry);
void cache_destroy(struct cache *cache);

/* Where an access found what it wanted, beyond the first level. */
struct cache_found {
	bool in_l2, in_l3, in_memory; /* at most one */
	bool in_stlb, in_page_tables; /* likewise */
};

/* An access to bytes that lie in one line. */
struct cache_found cache_access(struct cache *cache, uint64_t va);

#endif
