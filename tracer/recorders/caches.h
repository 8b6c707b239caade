/* Records cache misses of loads: simulates caches for the accesses of a stream. Each thread has a core of its own. */
#ifndef ITRACE_RECORDERS_CACHES_H
#define ITRACE_RECORDERS_CACHES_H

#include "costmodels/predictors/cache.h"
#include "stream/stream.h"

struct cache_recorder;

struct cache_recorder *cache_recorder_create(void);
struct cache_recorder *cache_recorder_create_like(const struct cache_recorder *recorder); /* with the same geometries */
void cache_recorder_destroy(struct cache_recorder *recorder);

/* Adds a geometry unless it is present. Call before the first batch. */
void cache_recorder_add_geometry(struct cache_recorder *recorder, const struct cache_geometry *geometry);

/* Call this for all batches of a run, in order; they have addresses. Counts into `misses` of the profile's regions. */
void cache_recorder_add(struct cache_recorder *recorder, struct profile *profile, const struct stream_batch *batch);

/* Releases the core of a thread that has ended. */
void cache_recorder_end_thread(struct cache_recorder *recorder, uint32_t thread);

#endif
