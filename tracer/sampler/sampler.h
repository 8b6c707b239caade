/* Samples the program counter of a program while it runs.
 *
 * By perf_event_open's software clock where the kernel allows it (perf_event_paranoid up to 2 for one's own
 * programs, then without the kernel's time): each thread is sampled after each period of its own CPU time. Else by
 * ptrace stops: a timer of itrace's interrupts the threads that are running after each period of wall time, and
 * those that used half a period of CPU time since their last sample are counted.
 */
#ifndef ITRACE_SAMPLER_SAMPLER_H
#define ITRACE_SAMPLER_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/sampling.h"
#include "source/source.h"

/* Linux starts no software clock again sooner than this (kernel/events/core.c, perf_swevent_start_hrtimer). */
#define SAMPLER_PERIOD_MIN_NS 10000

enum sampler_method {
	SAMPLER_AUTO, /* perf, or stops where that is refused */
	SAMPLER_PERF,
	SAMPLER_STOPS,
};

/* How to sample. Everything is borrowed. */
struct sample_plan {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up along PATH; unused with pid */
	int32_t pid;		 /* of a process that runs already, to be sampled by perf; 0: argv is launched */
	bool disable_aslr;
	enum sampler_method method;
	uint64_t period_ns;   /* of the first series; at least SAMPLER_PERIOD_MIN_NS */
	const double *ratios; /* [n_ratios] of the periods of further series to that; at least 1 */
	size_t n_ratios;
	uint64_t duration_ns; /* of sampling; 0: to the program's end, which a launched one is always awaited to */
};

/* Asked of a running sampler by a signal handler: how often itrace was told to stop, and by which signal last. */
struct sampler_interrupts {
	volatile int count;
	volatile int signal; /* to be sent to the program; 0: it has got it already (from its terminal) */
};

/* Runs the plan's program to its end, or samples a running process until its end, until the duration is over or
 * until the first interrupt, and leaves it running. On success the sampling is filled and what the program did is in
 * it. Errors: the program cannot be started, or sampled by the method asked for; the sampling is untouched then.
 * Uses SIGALRM. */
bool sampler_run(const struct sample_plan *plan, const struct sampler_interrupts *interrupts, struct sampling *sampling,
		 struct error *err);

struct name_map; /* sampler/name_map.h */

/* Sums the samples up by object or by function. Names come from the maps [n_maps] first, then from `source`. */
void sample_table_init(struct sample_table *table, const struct sampling *sampling, struct source *source,
		       const struct name_map *maps, size_t n_maps, enum sampling_by by);

/* The first series by thread. */
void sample_threads_init(struct sample_threads *threads, const struct sampling *sampling,
			 const struct sample_table *table);

/* Whether the table is to be trusted. Pure: of the periods and the rows of the samples only. */
void sample_verdict_init(struct sample_verdict *verdict, const struct sampling *sampling,
			 const struct sample_table *table);

/* A function's exact cycles. */
struct sample_exact {
	const char *name, *module; /* as in a sample_row: module without its folder */
	int64_t mcyc;
};

/* Compares the first series of a table by function with a trace. Pure. */
void sample_check_init(struct sample_check *check, const struct sample_table *table, const char *model,
		       const struct sample_exact *exact, size_t n_exact);

#endif
