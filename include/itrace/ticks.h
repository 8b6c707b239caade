/* What scopes.h, timestamp.h and counters.h share: ticks, the rate at which they pass, and how a header defines what a
 * program has only once. Not for direct use.
 *
 * A tick is one of the time-stamp counter: on CPUs of the last fifteen years it runs at a constant rate, whatever the
 * core's clock does, and equally on all cores. On other CPUs than x86 a tick is a nanosecond of CLOCK_MONOTONIC.
 */
#ifndef ITRACE_TICKS_H
#define ITRACE_TICKS_H

#include <pthread.h>
#include <stdint.h>

/* Any number of files of a program include these definitions; the linker keeps one, for all its shared libraries too.
 * A library that is loaded by dlopen has its own, unless the program exports its symbols. */
#define ITRACE_SHARED_ __attribute__((weak, visibility("default")))
#define ITRACE_INLINE_ static __inline__ __attribute__((always_inline, unused))

#define ITRACE_JOIN_(left, right) ITRACE_JOIN_EXPANDED_(left, right)
#define ITRACE_JOIN_EXPANDED_(left, right) left##right

#ifdef __cplusplus
extern "C" {
#endif

/* Strict ISO modes hide struct timespec or clock_gettime, which are in every libc: so they are declared by other
 * names. */
struct itrace_timespec_ {
#if defined(__x86_64__) && defined(__ILP32__)
	long long seconds, nanoseconds;
#else
	long seconds, nanoseconds;
#endif
};
extern int itrace_clock_gettime_(int clock, struct itrace_timespec_ *now) __asm__("clock_gettime");
#define ITRACE_CLOCK_MONOTONIC_ 1 /* linux/time.h */

ITRACE_INLINE_ uint64_t itrace_clock_ns_(void)
{
	struct itrace_timespec_ now = {0, 0};

	itrace_clock_gettime_(ITRACE_CLOCK_MONOTONIC_, &now);
	return (uint64_t)now.seconds * 1000000000u + (uint64_t)now.nanoseconds;
}

/* The CPU may execute it somewhat before or after its neighbours: timestamp.h has the version that waits. */
ITRACE_INLINE_ uint64_t itrace_ticks_(void)
{
#if defined(__x86_64__) || defined(__i386__)
	uint32_t low, high;

	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
#else
	return itrace_clock_ns_();
#endif
}

struct itrace_instant_ {
	uint64_t ticks, ns;
};

extern ITRACE_SHARED_ struct itrace_instant_ itrace_first_instant_;
extern ITRACE_SHARED_ pthread_once_t itrace_first_once_;
void itrace_take_first_instant_(void);
double itrace_ns_per_tick_(uint64_t least_ns);
double itrace_middle_mean_(int64_t *values, unsigned n);

struct itrace_instant_ itrace_first_instant_;
pthread_once_t itrace_first_once_ = PTHREAD_ONCE_INIT;

/* Both clocks at one moment: of some tries, the one in which they were read most closely after each other. */
ITRACE_INLINE_ struct itrace_instant_ itrace_now_(void)
{
	struct itrace_instant_ best = {0, 0};
	uint64_t closest = UINT64_MAX;
	int i;

	for (i = 0; i < 5; i++) {
		uint64_t before = itrace_ticks_(), ns = itrace_clock_ns_(), ticks = itrace_ticks_() - before;

		if (ticks < closest) {
			closest = ticks;
			best.ticks = before + ticks / 2;
			best.ns = ns;
		}
	}
	return best;
}

ITRACE_SHARED_ void itrace_take_first_instant_(void)
{
	itrace_first_instant_ = itrace_now_();
}

/* Measured from the first call of any of these headers until now, waiting until that is at least least_ns. Reading both
 * clocks takes some 100 ns, hence an error of about 100 / least_ns. */
ITRACE_SHARED_ double itrace_ns_per_tick_(uint64_t least_ns)
{
	struct itrace_instant_ now;

	pthread_once(&itrace_first_once_, itrace_take_first_instant_);
	do
		now = itrace_now_();
	while (now.ns - itrace_first_instant_.ns < least_ns || now.ticks == itrace_first_instant_.ticks);
	return (double)(now.ns - itrace_first_instant_.ns) / (double)(now.ticks - itrace_first_instant_.ticks);
}

/* The mean of the middle half: without what interrupts added, and finer than the steps in which some counters advance
 * (10 ns on a Zen 5). Sorts the values, by insertion as they are few. */
ITRACE_SHARED_ double itrace_middle_mean_(int64_t *values, unsigned n)
{
	double sum = 0;
	unsigned i, j;

	for (i = 1; i < n; i++) {
		int64_t value = values[i];

		for (j = i; j > 0 && values[j - 1] > value; j--)
			values[j] = values[j - 1];
		values[j] = value;
	}
	for (i = n / 4; i < n - n / 4; i++)
		sum += (double)values[i];
	return sum / (n - n / 4 * 2);
}

#ifdef __cplusplus
}
#endif

#endif
