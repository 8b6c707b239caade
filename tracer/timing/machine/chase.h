/* Chains of loads in random order through memory. */
#ifndef ITRACE_TIMING_MACHINE_CHASE_H
#define ITRACE_TIMING_MACHINE_CHASE_H

#include "timing/machine/machine.h"

/* The lines that the loads access. */
enum chase_layout {
	CHASE_LINES, /* all lines */
	CHASE_PAGES, /* one line of each 4-KiB page, of a cache set that changes from page to page */
};

struct chase {
	struct timed_code_state *state; /* in `memory`; each run leaves the next address in RAX */
	uint8_t *memory;
	size_t n_bytes;
	bool has_huge_pages;
};

/* Allocates the memory, in huge pages if they are wanted and the system has them. Returns false if there is no
 * memory. */
bool chase_init(struct chase *chase, size_t n_bytes, bool wants_huge_pages);
void chase_deinit(struct chase *chase);

/* Returns the number of loads that fit. */
size_t chase_capacity(const struct chase *chase, enum chase_layout layout);

/* Links n loads and runs through them, so that they are in the caches if they fit. */
void chase_link(struct chase *chase, enum chase_layout layout, size_t n);

/* Measures a load in cycles. Other programs only evict lines, so the fastest of some measurements counts. The result
 * is 10^9 cycles if no measurement succeeds. */
void chase_time(struct chase *chase, struct machine *machine, struct clock_result *out);

/* Measures a load in picoseconds, which are written to out->mcyc. */
void chase_time_ps(struct chase *chase, struct machine *machine, struct clock_result *out);

/* Runs through n linked loads, waits, and runs through them again. Returns the picoseconds that a load of the second
 * run takes. */
int64_t chase_time_later_ps(struct chase *chase, size_t n, int64_t wait_ns);

#endif
