#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/order.h"
#include "sampler/perf.h"

enum {
	PERIOD_NS = 20000, /* short, so that many samples fall into the work */
	WORK_NS = 1000000, /* processor time, without samples */
	CHUNK = 5000,	   /* rounds of work between two looks at the clock: some microseconds */
	N_PAIRS = 5,	   /* of work without and with samples */
	SAMPLES_MIN = 10,  /* with fewer, the cost is unknown */
};

static uint64_t used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static void work(void)
{
	for (volatile unsigned i = 0; i < CHUNK; i++)
		;
}

/* Returns the processor time of n chunks of work. */
static uint64_t time_work(size_t n)
{
	uint64_t begin_ns = used_ns();

	for (size_t i = 0; i < n; i++)
		work();
	return used_ns() - begin_ns;
}

/* Measures the time that one sample adds to the work. Returns false if the kernel refuses to sample. */
static bool measure_pair(size_t n_chunks, int64_t *cost_ns)
{
	uint64_t without_ns = time_work(n_chunks), with_ns;
	pid_t self = getpid();
	struct sampling_series series = {.period_ns = PERIOD_NS};
	struct sampling sampling = {.pid = self, .series = &series, .n_series = 1};
	struct error ignored = {0};
	size_t n_samples;
	struct perf *perf = perf_create(&sampling, &self, 1, &ignored);

	if (!perf)
		return false;
	with_ns = time_work(n_chunks);
	perf_stop(perf);
	perf_drain(perf);
	n_samples = perf_count_samples(perf);
	perf_destroy(perf);
	*cost_ns = ((int64_t)with_ns - (int64_t)without_ns) / (int64_t)(n_samples ? n_samples : 1);
	return n_samples >= SAMPLES_MIN;
}

uint64_t perf_measure_cost(void)
{
	uint64_t begin_ns = used_ns();
	int64_t costs_ns[N_PAIRS];
	size_t n_chunks = 0;

	for (; used_ns() - begin_ns < WORK_NS; n_chunks++)
		work();
	for (size_t i = 0; i < N_PAIRS; i++)
		if (!measure_pair(n_chunks, &costs_ns[i]))
			return 0;
	qsort(costs_ns, N_PAIRS, sizeof(*costs_ns), order_int64);
	return costs_ns[N_PAIRS / 2] > 0 ? (uint64_t)costs_ns[N_PAIRS / 2] : 0;
}
