/* Records mispredictions: simulates a branch predictor for each thread of a stream. */
#ifndef ITRACE_RECORDERS_BRANCHES_H
#define ITRACE_RECORDERS_BRANCHES_H

#include "stream/stream.h"

struct branch_recorder;

struct branch_recorder *branch_recorder_create(void);

/* Adds the next batch of a run. Counts in profile_region.mispredicts. */
void branch_recorder_add_batch(struct branch_recorder *recorder, struct profile *profile,
			       const struct stream_batch *batch);

/* Releases the state of a thread that has ended. */
void branch_recorder_end_thread(struct branch_recorder *recorder, uint32_t thread);
void branch_recorder_destroy(struct branch_recorder *recorder);

#endif
