/* Records cache misses of loads: simulates caches for the accesses of a stream. Each thread has its own caches. */
#ifndef ITRACE_RECORDERS_CACHES_H
#define ITRACE_RECORDERS_CACHES_H

#include "costmodels/predictors/cache.h"
#include "stream/stream.h"

struct cache_recorder;

struct cache_recorder *cache_recorder_create(void);
struct cache_recorder *cache_recorder_create_like(const struct cache_recorder *recorder); /* copies the geometries */
void cache_recorder_destroy(struct cache_recorder *recorder);

/* Adds a geometry unless it is present. Call before the first batch. */
void cache_recorder_add_geometry(struct cache_recorder *recorder, const struct cache_geometry *geometry);

/* Adds the next batch of a run, which must have addresses. Counts in profile_region.misses. */
void cache_recorder_add_batch(struct cache_recorder *recorder, struct profile *profile,
			      const struct stream_batch *batch);

/* Releases the caches of a thread that has ended. */
void cache_recorder_end_thread(struct cache_recorder *recorder, uint32_t thread);

#endif
