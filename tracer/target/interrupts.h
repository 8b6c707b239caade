/* The signals that ask itrace to end while it runs a program. */
#ifndef ITRACE_TARGET_INTERRUPTS_H
#define ITRACE_TARGET_INTERRUPTS_H

#include <stdbool.h>

/* All zero at first. A signal handler sets all but n_taken. */
struct interrupts {
	volatile int count;  /* requests so far */
	volatile int signal; /* of the last one, to be sent to the program; 0: the program has it already */
	volatile bool kills; /* the program has had its time to end: kill it */
	int n_taken;	     /* requests that interrupts_take has seen */
};

/* True if there are new requests since the last call. */
static inline bool interrupts_take(struct interrupts *interrupts)
{
	int count = interrupts->count;
	bool is_new = count != interrupts->n_taken;

	interrupts->n_taken = count;
	return is_new;
}

#endif
