/* Measures the time of generated functions in core cycles, by the time stamp counter alone.
 *
 * The counter ticks at a constant rate, but the core clock varies. Therefore each sample also times a chain of
 * dependent additions, which take one cycle each, before and after the function. A sample counts only if both chains
 * agree.
 */
#ifndef ITRACE_TIMING_CLOCK_H
#define ITRACE_TIMING_CLOCK_H

#include "timing/code.h"

struct clock {
	timed_code_function chain[2]; /* of n and of 2n additions */
	struct timed_code_state state;
	uint32_t n_discarded, n_samples; /* of all measurements so far */
};

/* Two functions with the same loop. In each iteration, `twice` has twice as many copies of the body as `once`. The
 * difference of their times is the time of the copies alone. */
struct clock_kernel {
	timed_code_function once, twice;
	const struct timed_code_state *state;
	uint64_t n_copies; /* number of copies of the body in `once` */
};

struct clock_result {
	int64_t mcyc;		  /* thousandths of a cycle for one copy */
	uint32_t spread_permille; /* width of the narrowest range that holds a third of the samples */
};

/* Adds the chains to `code`. Fails if the counter is not constant. */
bool clock_init(struct clock *clock, struct timed_code *code, struct error *err);

/* Keeps this process on the processor that it is on. */
bool clock_pin(struct error *err);

/* Returns false if the chains disagree too often. Takes 0.5 ms on a quiet machine and up to 30 ms on a busy one. */
bool clock_measure(struct clock *clock, const struct clock_kernel *kernel, struct clock_result *out);

/* Adds both functions of a kernel to `code`, measures the kernel, and removes the functions. `body` is that of
 * `once`. */
bool clock_measure_body(struct clock *clock, struct timed_code *code, const struct timed_code_body *body,
			const struct timed_code_state *state, struct clock_result *out);

/* Returns the speed of the core, as it is now. */
uint32_t clock_core_mhz(const struct clock *clock);

#endif
