/* Times a basic block on this machine: copies of it in a row, or a loop of it. */
#ifndef ITRACE_TIMING_BLOCK_H
#define ITRACE_TIMING_BLOCK_H

#include "timing/block/block_code.h"
#include "timing/clock.h"

struct block_timer {
	struct timed_code code;
	struct clock clock;
	struct block_outcome *outcome; /* shared with the children that run the blocks */
};

/* Fails where the clock cannot measure. */
bool block_timer_init(struct block_timer *timer, struct error *err);
void block_timer_deinit(struct block_timer *timer);

/* Times one iteration in children, until two of them agree. *out is the smallest time. Pages are mapped as the block
 * touches them, and stay in the L1 cache. Fails with the reason if the block cannot run by itself, as one with a call
 * or a division that overflows. */
bool block_timer_measure(struct block_timer *timer, const struct block_to_time *block, struct clock_result *out,
			 struct error *err);

#endif
