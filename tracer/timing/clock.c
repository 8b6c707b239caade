#include "timing/clock.h"

#include <cpuid.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#include "base/array.h"
#include "base/order.h"

/* A slice is much longer than a step of the counter, 26 ticks in some virtual machines, and much shorter than the time
 * between two interruptions. */
#define CHAIN_ITERATIONS 120
#define CHAIN_COPIES 256
#define SLICE_CYCLES (CHAIN_ITERATIONS * CHAIN_COPIES)
#define MIN_SAMPLES 7
#define MAX_SAMPLES 45
#define MAX_ATTEMPTS 150
/* Sampling ends when a third of the samples, and at least MIN_CLUSTER, agree within this share. */
#define MIN_CLUSTER 5
#define ENOUGH_PERMILLE 3
/* The chains before and after a function may differ by a 200th. */
#define CHAIN_TOLERANCE 200

static uint64_t ticks(void)
{
	uint64_t now;

	_mm_lfence();
	now = __rdtsc();
	_mm_lfence();
	return now;
}

/* Returns the ticks that a function takes. Two iterations run before, so that its code is in the caches. */
static int64_t time_run(timed_code_function function, const struct timed_code_state *state, uint64_t iterations)
{
	uint64_t begin;

	function(state, 2);
	begin = ticks();

	function(state, iterations);
	return (int64_t)(ticks() - begin);
}

static int64_t time_chain(const struct clock *clock)
{
	int64_t once = time_run(clock->chain[0], &clock->state, CHAIN_ITERATIONS);

	return time_run(clock->chain[1], &clock->state, CHAIN_ITERATIONS) - once;
}

static bool has_constant_counter(void)
{
	unsigned int eax, ebx, ecx, edx;

	/* Intel SDM vol. 3, 18.17.1, and AMD's manual vol. 3, E.4.6: the bit "invariant TSC" */
	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && edx & 1u << 8;
}

bool clock_init(struct clock *clock, struct timed_code *code, struct error *err)
{
	static const uint8_t add_rax_rbx[] = {0x48, 0x01, 0xd8}; /* no CPU adds registers while it renames them */
	struct timed_code_body body = {.bytes = add_rax_rbx, .n_bytes = sizeof(add_rax_rbx), .n_copies = CHAIN_COPIES};

	if (!has_constant_counter())
		return error_set(err, ERROR_ENVIRONMENT,
				 "cannot measure: the time stamp counter of this CPU does not tick at a constant rate");
	*clock = (struct clock){0};
	timed_code_state_init(&clock->state, 0, sizeof(uint64_t));
	clock->chain[0] = timed_code_add(code, &body);
	body.n_copies *= 2;
	clock->chain[1] = timed_code_add(code, &body);
	return true;
}

bool clock_pin(struct error *err)
{
	int processor = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	if (processor >= 0)
		CPU_SET((size_t)processor, &set);
	if (processor < 0 || sched_setaffinity(0, sizeof(set), &set))
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot stay on one processor");
	return true;
}

/* Returns the number of iterations in a slice. Interruptions only make a time longer, so the shortest time counts. */
static uint64_t choose_iterations(const struct clock *clock, const struct clock_kernel *kernel)
{
	int64_t slice = INT64_MAX, shortest = INT64_MAX;

	for (int i = 0; i < 3; i++) {
		int64_t chain = time_chain(clock), one = time_run(kernel->once, kernel->state, 1);

		one = (time_run(kernel->once, kernel->state, 9) - one) / 8;
		slice = chain > 0 && chain < slice ? chain : slice;
		shortest = one > 0 && one < shortest ? one : shortest;
	}
	return shortest >= slice || slice == INT64_MAX ? 1 : (uint64_t)(slice / shortest);
}

/* Finds the shortest range of sorted samples that contains a third of them. Other programs on the core and changes of
 * its speed spread the remaining samples over a wide range. */
static void find_cluster(const int64_t *samples, size_t n_samples, struct clock_result *out)
{
	size_t n_cluster = n_samples / 3 > MIN_CLUSTER ? n_samples / 3 : MIN_CLUSTER, best = 0;
	int64_t width;

	for (size_t i = 0; i + n_cluster <= n_samples; i++)
		if (samples[i + n_cluster - 1] - samples[i] < samples[best + n_cluster - 1] - samples[best])
			best = i;
	width = samples[best + n_cluster - 1] - samples[best];
	out->mcyc = samples[best + n_cluster / 2];
	out->spread_permille = out->mcyc ? (uint32_t)(width * 1000 / out->mcyc) : 0;
}

/* Returns the thousandths of a cycle that one copy takes, or -1 if the chains disagree. *before is the time of the
 * chain before, and becomes that of the chain after. */
static int64_t take_sample(const struct clock *clock, const struct clock_kernel *kernel, uint64_t iterations,
			   int64_t *before)
{
	int64_t once = time_run(kernel->once, kernel->state, iterations);
	int64_t copies = time_run(kernel->twice, kernel->state, iterations) - once;
	int64_t first = *before, after = *before = time_chain(clock);
	double ticks_per_cycle = (double)(first + after) / 2 / SLICE_CYCLES;

	if (first <= 0 || after <= 0 || copies <= 0 || llabs(first - after) > first / CHAIN_TOLERANCE)
		return -1;
	return (int64_t)((double)copies / (double)(iterations * kernel->n_copies) / ticks_per_cycle * 1000 + 0.5);
}

bool clock_measure(struct clock *clock, const struct clock_kernel *kernel, struct clock_result *out)
{
	uint64_t iterations = choose_iterations(clock, kernel);
	int64_t samples[MAX_SAMPLES], before = time_chain(clock);
	size_t n_samples = 0;

	for (int i = 0; i < MAX_ATTEMPTS && n_samples < MAX_SAMPLES; i++) {
		int64_t sample = take_sample(clock, kernel, iterations, &before);

		clock->n_samples++;
		if (sample < 0) {
			clock->n_discarded++;
			continue;
		}
		samples[n_samples++] = sample;
		if (n_samples < MIN_SAMPLES)
			continue;
		qsort(samples, n_samples, sizeof(samples[0]), order_int64);
		find_cluster(samples, n_samples, out);
		if (out->spread_permille <= ENOUGH_PERMILLE)
			return true;
	}
	return n_samples >= MIN_SAMPLES;
}

bool clock_measure_body(struct clock *clock, struct timed_code *code, const struct timed_code_body *body,
			const struct timed_code_state *state, struct clock_result *out)
{
	struct clock_kernel kernel = {.state = state, .n_copies = body->n_copies};
	struct timed_code_body twice = *body;
	size_t n_used = code->n_used;
	bool is_measured;

	twice.n_copies *= 2;
	kernel.once = timed_code_add(code, body);
	kernel.twice = timed_code_add(code, &twice);
	is_measured = kernel.once && kernel.twice && clock_measure(clock, &kernel, out);
	timed_code_forget(code, n_used);
	return is_measured;
}

uint32_t clock_core_mhz(const struct clock *clock)
{
	const uint64_t iterations = 16 * CHAIN_ITERATIONS, cycles = iterations * 2 * CHAIN_COPIES;
	uint64_t shortest_ns = UINT64_MAX;

	for (int i = 0; i < MIN_SAMPLES; i++) {
		struct timespec begin, end;
		uint64_t ns;

		clock_gettime(CLOCK_MONOTONIC, &begin);
		clock->chain[1](&clock->state, iterations);
		clock_gettime(CLOCK_MONOTONIC, &end);
		ns = (uint64_t)((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec);
		shortest_ns = ns < shortest_ns ? ns : shortest_ns;
	}
	return (uint32_t)(cycles * 1000 / shortest_ns);
}
