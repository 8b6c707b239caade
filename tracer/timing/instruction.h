/* Times one instruction form: reciprocal throughput, and the latency from each source to each destination. */
#ifndef ITRACE_TIMING_INSTRUCTION_H
#define ITRACE_TIMING_INSTRUCTION_H

#include "timing/chain.h"

#define INSTRUCTION_MAX_LATENCIES 24

/* The time from a ready source to a ready result. Places are named as in the cell `latencies` of a row (FORMAT.md). */
struct instruction_latency {
	char from[8], to[8];
	int64_t mcyc;
	uint32_t spread_permille;
};

struct instruction_timing {
	bool is_encoded; /* false: the form cannot be timed: a jump, or a use of the stack or of system state */
	bool reads_memory, writes_memory;
	bool has_throughput;
	int64_t throughput_mcyc; /* reciprocal; of a repeated string instruction, without its iterations */
	int64_t iteration_mcyc;	 /* of a repeated string instruction, for each iteration; else 0 */
	uint32_t throughput_spread_permille;
	struct instruction_latency latencies[INSTRUCTION_MAX_LATENCIES];
	size_t n_latencies;
	/* Number of pairs of places that were begun. A new child skips them: the last pair may have killed a child. */
	size_t n_tried;
};

struct instruction_timer {
	struct timed_code code;
	struct clock clock;
	struct chain_costs costs;
	uint8_t *data; /* memory of the operands */
};

/* Also measures the steps of chains. vector_load_mcyc: as in chain_measure_costs. */
bool instruction_timer_init(struct instruction_timer *timer, int64_t vector_load_mcyc, struct error *err);
void instruction_timer_deinit(struct instruction_timer *timer);

/* Measures a form. The caller zeroes *timing before the first call. If a call killed its process, the next call
 * continues after the pair of places that did so. The instruction may be illegal here or fault, so the caller is a
 * child, and *timing is in shared memory. */
void instruction_measure(struct instruction_timer *timer, const char *form_text, struct instruction_timing *timing);

#endif
