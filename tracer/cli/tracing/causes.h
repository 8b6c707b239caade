/* What may make a region execute something else in every run, as far as the region itself tells: threads, signals, and where it gets to
 * know what differs from run to run. */
#ifndef ITRACE_CLI_TRACING_CAUSES_H
#define ITRACE_CLI_TRACING_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"

enum cause {
	CAUSE_THREADS,
	CAUSE_SIGNALS,
	CAUSE_CLOCK,
	CAUSE_RANDOM,
	CAUSE_IDS,   /* of processes and threads */
	CAUSE_FILES, /* what is told of them, their contents excepted */
	CAUSE_PROCESSOR,
	CAUSE_INPUT, /* what comes from elsewhere, or is waited for */
	N_CAUSES,
};

struct cause_found {
	char *region;
	enum cause cause;
	char *by; /* "clock_gettime", "RDTSC", "4 threads" */
};

struct causes {
	struct cause_found *found; /* each once */
	size_t n_found, found_capacity;
};

void causes_deinit(struct causes *causes);

/* Adds those of a region of a run; the region is one of all threads and of no handlers. */
void causes_add(struct causes *causes, const struct profile *profile, uint32_t region);

/* Writes a line that names those found in the regions that `differs` says differ. */
void causes_write(const struct causes *causes, FILE *out, bool (*differs)(const void *context, const char *region),
		  const void *context);

#endif
