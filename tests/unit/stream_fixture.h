/* Streams made by hand: code as bytes, its blocks, and batches. */
#ifndef ITRACE_TESTS_UNIT_STREAM_FIXTURE_H
#define ITRACE_TESTS_UNIT_STREAM_FIXTURE_H

#include "code_profile.h"
#include "stream/stream.h"

/* Adds the block of n instructions from `first` on. */
static inline uint32_t add_block(struct profile *profile, uint32_t first, uint32_t n)
{
	uint32_t insns[64];

	for (uint32_t i = 0; i < n; i++)
		insns[i] = first + i;
	return profile_intern_block(profile, insns, n);
}

#endif
