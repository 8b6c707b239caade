/* Runs a branch predictor for each thread of a stream and counts, in the profile, what it mispredicts. */
#ifndef ITRACE_RECORDERS_BRANCHES_H
#define ITRACE_RECORDERS_BRANCHES_H

#include "stream/stream.h"

struct branch_tally;

struct branch_tally *branch_tally_create(void);

/* Takes all batches of a run, and counts into `mispredicts` of the profile's regions. */
void branch_tally_add(struct branch_tally *tally, struct profile *profile, const struct stream_batch *batch);

/* No batch of the thread comes any more: releases what it took. */
void branch_tally_end_thread(struct branch_tally *tally, uint32_t thread);
void branch_tally_destroy(struct branch_tally *tally);

#endif
