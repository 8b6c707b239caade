/* The signals that ask itrace to end while it runs a program. */
#ifndef ITRACE_TARGET_INTERRUPTS_H
#define ITRACE_TARGET_INTERRUPTS_H

#include <stdbool.h>

/* All zero at first. A signal handler sets all but n_taken. */
struct interrupts {
	volatile int n_requests; /* so far */
	volatile int signal; /* of the last request, to forward to the program; 0: the terminal has sent it already */
	volatile bool must_kill; /* the program has not ended in time: kill it */
	int n_taken;		 /* requests that interrupts_take has seen */
};

/* Returns true if there are new requests since the last call. */
static inline bool interrupts_take(struct interrupts *interrupts)
{
	int n_requests = interrupts->n_requests;
	bool is_new = n_requests != interrupts->n_taken;

	interrupts->n_taken = n_requests;
	return is_new;
}

#endif
