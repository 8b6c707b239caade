/* Samples one process with the software clock of perf_event_open. Private to sampler/. */
#ifndef ITRACE_SAMPLER_PERF_H
#define ITRACE_SAMPLER_PERF_H

#include "base/error.h"
#include "profile/sampling.h"
#include "sampler/memory_map.h"
#include "target/target.h"

struct perf;

/* Starts to sample the threads tids[n_tids] of the process sampling->pid, and all threads and processes that they
 * create later, once for each of the sampling's series. Sets sampling->sees_kernel. Returns NULL and an error when the
 * kernel refuses. */
struct perf *perf_create(struct sampling *sampling, const pid_t *tids, size_t n_tids, struct error *err);
void perf_destroy(struct perf *perf);

/* Reads the kernel's buffers. Must be called at least every perf_drain_interval_ns(). */
void perf_drain(struct perf *perf);
uint64_t perf_drain_interval_ns(const struct perf *perf);

/* Returns the number of samples that were drained so far. */
size_t perf_count_samples(const struct perf *perf);

/* Measures the processor time that a sample costs the sampled thread. Runs work of itrace's own for some 20 ms.
 * Returns 0 if the time is not known. */
uint64_t perf_measure_cost(void);

/* Stops sampling. The buffers can still be drained. */
void perf_stop(struct perf *perf);

/* Adds the drained samples to the sampling's series in order of time. On entry `map` has the mappings at begin_ns.
 * The function adds later mappings to the map, and resolves the addresses by it. */
void perf_finish(struct perf *perf, struct sampling *sampling, struct memory_map *map, uint64_t begin_ns);

#endif
