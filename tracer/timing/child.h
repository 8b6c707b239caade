/* Runs a function in a child process, which an instruction under test may kill or hang. */
#ifndef ITRACE_TIMING_CHILD_H
#define ITRACE_TIMING_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum child_end {
	CHILD_FINISHED,
	CHILD_KILLED,	/* by a signal: the instruction is illegal here or faulted */
	CHILD_TOO_LONG, /* stopped after the allowed seconds */
};

/* Allocates zeroed memory that children share with their parent. Free it with child_free_shared. */
void *child_allocate_shared(size_t n_bytes, struct error *err);
void child_free_shared(void *memory, size_t n_bytes);

/* Runs function(argument) in a child and waits for its end. The function leaves its results in shared memory. SIGINT
 * does not reach the child. Fails only if there can be no child. */
bool child_run(void (*function)(void *), void *argument, unsigned int seconds, enum child_end *end, struct error *err);

#endif
