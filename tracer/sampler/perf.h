/* The kernel's sampling of one process: perf_event_open's software clock. Private to sampler/. */
#ifndef ITRACE_SAMPLER_PERF_H
#define ITRACE_SAMPLER_PERF_H

#include "base/error.h"
#include "profile/sampling.h"
#include "sampler/memory_map.h"
#include "target/target.h"

struct perf;

/* Samples the threads tids[n_tids] of the process, and their future threads and children, with each of
 * periods_ns[n_periods], from now on. *sees_kernel: the kernel allowed its own time to be sampled. NULL and an error
 * when the kernel refuses. */
struct perf *perf_create(pid_t pid, const pid_t *tids, size_t n_tids, const uint64_t *periods_ns, size_t n_periods,
			 bool *sees_kernel, struct error *err);
void perf_destroy(struct perf *perf);

/* Takes what is in the kernel's buffers. To be called at least every perf_drain_ns(). */
void perf_drain(struct perf *perf);
uint64_t perf_drain_ns(const struct perf *perf);

/* Ends sampling; the buffers can still be drained. */
void perf_stop(struct perf *perf);

/* Puts what was drained into the sampling's series, by time, resolved by `map`, which holds what was mapped at the
 * beginning and is kept up to date on the way. */
void perf_finish(struct perf *perf, struct sampling *sampling, struct memory_map *map, uint64_t begin_ns);

#endif
