/* The conditions under which a machine was measured, for the model's header. */
#ifndef ITRACE_TIMING_CONDITIONS_H
#define ITRACE_TIMING_CONDITIONS_H

#include <stddef.h>
#include <stdint.h>

#include "timing/clock.h"

enum { MAX_CONDITIONS = 8 };

struct conditions {
	char cpu[64];		     /* such as "AMD EPYC" */
	uint32_t clock_mhz;	     /* of the core */
	char *lines[MAX_CONDITIONS]; /* [n_lines] sentences */
	size_t n_lines;
};

void conditions_init(struct conditions *conditions, const struct clock *clock);
void conditions_deinit(struct conditions *conditions);

/* Adds a sentence, which must come from malloc(), and takes ownership of it. */
void conditions_add(struct conditions *conditions, char *line);

#endif
