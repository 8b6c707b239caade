/* Lets the accesses of a stream go through caches, and counts, in the profile, what loads miss. A thread has a core of its own. */
#ifndef ITRACE_RECORDERS_CACHES_H
#define ITRACE_RECORDERS_CACHES_H

#include "costmodels/predictors/cache.h"
#include "stream/stream.h"

struct cache_tally;

struct cache_tally *cache_tally_create(void);
struct cache_tally *cache_tally_create_like(const struct cache_tally *tally); /* of the same geometries */
void cache_tally_destroy(struct cache_tally *tally);

/* One more geometry to be simulated, unless it is there; before the first batch. */
void cache_tally_add_geometry(struct cache_tally *tally, const struct cache_geometry *geometry);

/* Takes all batches of a run, with addresses, and counts into `misses` of the profile's regions. */
void cache_tally_add(struct cache_tally *tally, struct profile *profile, const struct stream_batch *batch);

/* No batch of the thread comes any more: releases its core. */
void cache_tally_end_thread(struct cache_tally *tally, uint32_t thread);

#endif
