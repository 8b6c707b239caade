/* Finds likely reasons why the counts of a region differ from run to run: threads, signals, and instructions and system
 * calls whose results differ. */
#ifndef ITRACE_CLI_TRACING_NONDETERMINISM_H
#define ITRACE_CLI_TRACING_NONDETERMINISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"

enum nondeterminism_kind {
	NONDETERMINISM_THREADS,
	NONDETERMINISM_SIGNALS,
	NONDETERMINISM_CLOCK,
	NONDETERMINISM_RANDOM,
	NONDETERMINISM_IDS,   /* of processes and threads */
	NONDETERMINISM_FILES, /* their attributes, not their contents */
	NONDETERMINISM_PROCESSOR,
	NONDETERMINISM_INPUT, /* data from elsewhere, or a wait for it */
	N_NONDETERMINISM_KINDS,
};

struct nondeterminism_cause {
	char *region;
	enum nondeterminism_kind kind;
	char *evidence; /* "clock_gettime", "RDTSC", "4 of them" */
};

struct nondeterminism {
	struct nondeterminism_cause *causes; /* [n_causes], each once */
	size_t n_causes, causes_capacity;
};

void nondeterminism_deinit(struct nondeterminism *all);

/* Adds the causes in a region of a run. The region must be one of all threads, and not one of signal handlers. */
void nondeterminism_add(struct nondeterminism *all, const struct profile *profile, uint32_t region);

/* Writes a line with the causes in the regions for which `differs` returns true. */
void nondeterminism_write(const struct nondeterminism *all, FILE *out,
			  bool (*differs)(const void *context, const char *region), const void *context);

#endif
