/* Samples the program counter of a program while it runs.
 *
 * The first method is the software clock of perf_event_open, where the kernel allows it. It samples each thread after
 * each period of the thread's own CPU time. With perf_event_paranoid at 2, kernel time is not sampled.
 *
 * The second method is ptrace stops. A timer interrupts the running threads after each period of wall time. Threads
 * that used at least half a period of CPU time since their last sample are counted.
 */
#ifndef ITRACE_SAMPLER_SAMPLER_H
#define ITRACE_SAMPLER_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/sampling.h"
#include "source/source.h"
#include "target/interrupts.h"

/* The shortest period of the software clock of Linux (kernel/events/core.c, perf_swevent_start_hrtimer). */
#define SAMPLER_PERIOD_MIN_NS 10000

enum sampler_method {
	SAMPLER_AUTO, /* perf; or SAMPLER_STOPS if the kernel refuses perf */
	SAMPLER_PERF,
	SAMPLER_STOPS,
};

/* Parameters of a run. All pointers are borrowed. */
struct sample_plan {
	const char *const *argv; /* NULL-terminated; argv[0] is searched in PATH; unused if pid is set */
	int32_t pid;		 /* a running process, sampled by perf; 0: launches argv */
	bool disable_aslr;
	enum sampler_method method;
	uint64_t period_ns;   /* of the first series; at least SAMPLER_PERIOD_MIN_NS */
	const double *ratios; /* [n_ratios] each adds a series with this multiple of period_ns, at least 1 */
	size_t n_ratios;
	uint64_t duration_ns; /* of sampling; 0: until the program ends. A launched program always runs to its end. */
};

/* Launches the program and waits for its end. Or samples a running process until it ends, the duration is over or the
 * first interrupt arrives, and then lets it run. On success *sampling has the samples and the program's exit status.
 * Fails if the program cannot be started or the method is not available; *sampling is then unchanged. Uses SIGALRM. */
bool sampler_run(const struct sample_plan *plan, struct interrupts *interrupts, struct sampling *sampling,
		 struct error *err);

/* Sums up samples by object or by function. */
void sample_table_init(struct sample_table *table, const struct sampling *sampling, struct source *source,
		       enum sampling_by by);

/* Sums up the first series by thread. */
void sample_threads_init(struct sample_threads *threads, const struct sampling *sampling,
			 const struct sample_table *table);

/* Judges how far the table can be trusted. A pure function of the series' periods and the samples' rows. */
void sample_verdict_init(struct sample_verdict *verdict, const struct sampling *sampling,
			 const struct sample_table *table);

/* The exact cycles of a function. */
struct sample_exact {
	const char *name, *module; /* as in a sample_row: the module without its folder */
	int64_t mcyc;
};

/* Compares the first series of a table by function with exact cycles. A pure function. */
void sample_check_init(struct sample_check *check, const struct sample_table *table, const char *model,
		       const struct sample_exact *exact, size_t n_exact);

#endif
