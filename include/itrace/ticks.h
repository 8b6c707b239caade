/* Shared by scopes.h, timestamp.h and counters.h: macros that decide which source file of a program defines the
 * functions; two clocks; and the ratio of their rates. Not for direct use.
 *
 * A tick is an increment of the time-stamp counter. On CPUs of the last fifteen years the rate of ticks is constant,
 * does not depend on the core's clock, and is equal on all cores. On CPUs other than x86 a tick is a nanosecond of
 * CLOCK_MONOTONIC.
 */
#ifndef ITRACE_TICKS_H
#define ITRACE_TICKS_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* By default each file that includes a header defines the header's functions, so a program of one file needs only the
 * #include. In C++ the functions are inline, and the linker keeps one copy. In C they are weak, so any number of files
 * may define them, but each object keeps a copy: some 9 KB for scopes.h. Larger programs compile with -DITRACE_EXTERN,
 * which leaves only declarations, and one of their files defines ITRACE_IMPLEMENTATION before it includes the headers:
 *
 *	#define ITRACE_IMPLEMENTATION
 *	#include <itrace/scopes.h>
 *
 * A program and its shared libraries share the functions and variables. A library that is loaded by dlopen shares them
 * only if the program exports its symbols (-rdynamic). */
#define ITRACE_VISIBLE_ __attribute__((visibility("default")))
#define ITRACE_WEAK_ __attribute__((weak, visibility("default")))

#if defined(ITRACE_EXTERN) && !defined(ITRACE_IMPLEMENTATION)
#define ITRACE_DEFINES_ 0
#define ITRACE_SHARED_ ITRACE_VISIBLE_
#define ITRACE_SHARED_VARIABLE_ ITRACE_VISIBLE_
#else
#define ITRACE_DEFINES_ 1
#define ITRACE_SHARED_VARIABLE_ ITRACE_WEAK_
#if defined(__cplusplus) && !defined(ITRACE_IMPLEMENTATION)
#define ITRACE_SHARED_ inline ITRACE_VISIBLE_
#else
#define ITRACE_SHARED_ ITRACE_WEAK_
#endif
#endif
#define ITRACE_INLINE_ static __inline__ __attribute__((always_inline, unused))

#define ITRACE_JOIN_(left, right) ITRACE_JOIN_EXPANDED_(left, right)
#define ITRACE_JOIN_EXPANDED_(left, right) left##right

#ifdef __cplusplus
extern "C" {
#elif defined(__STRICT_ANSI__)
/* -std=c99 hides clock_gettime in time.h, but not struct timespec. On Linux, C++ never hides it. */
extern int clock_gettime(int clock, struct timespec *now);
#if !defined(__LP64__) && !defined(__x86_64__) && !defined(_POSIX_C_SOURCE)
/* On a 32-bit system with a 64-bit time_t, time.h renames clock_gettime, but it hides the declaration in this mode. */
typedef char itrace_needs_gnu99_or_POSIX_C_SOURCE_[sizeof(time_t) > sizeof(long) ? -1 : 1];
#endif
#endif

#define ITRACE_CLOCK_MONOTONIC_ 1 /* linux/time.h */

ITRACE_INLINE_ uint64_t itrace_clock_ns_(void)
{
	struct timespec now;

	now.tv_sec = now.tv_nsec = 0;
	clock_gettime(ITRACE_CLOCK_MONOTONIC_, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The CPU may execute RDTSC before earlier or after later instructions. timestamp.h has a version with fences. */
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

extern ITRACE_SHARED_VARIABLE_ struct itrace_instant_
	itrace_first_instant_; /* of the start with scopes.h, else of the first use */
extern ITRACE_SHARED_VARIABLE_ pthread_once_t itrace_first_once_;

/* Ticks that these headers used are subtracted from the open scopes of this thread. NULL: the program has no scopes. */
extern ITRACE_SHARED_VARIABLE_ void (*itrace_exclude_)(int64_t ticks);

ITRACE_SHARED_ void itrace_take_first_instant_(void);

ITRACE_INLINE_ void itrace_exclude_since_(uint64_t begin_ticks)
{
	if (itrace_exclude_)
		itrace_exclude_((int64_t)(itrace_ticks_() - begin_ticks));
}

/* Returns nanoseconds per tick, measured since itrace_first_instant_. Waits until least_ns have passed since then.
 * Reading both clocks takes some 100 ns, so the relative error is about 100 / least_ns. */
ITRACE_SHARED_ double itrace_ns_per_tick_(uint64_t least_ns);

/* Returns the mean of values[n] without the n_cut smallest and the n_cut largest. This mean excludes values that an
 * interrupt increased, and is finer than the steps in which some counters advance (10 ns on Zen 4 and Zen 5 in virtual
 * machines). Sorts the values. */
ITRACE_SHARED_ double itrace_trimmed_mean_(int64_t *values, unsigned n, unsigned n_cut);

#if ITRACE_DEFINES_

struct itrace_instant_ itrace_first_instant_;
pthread_once_t itrace_first_once_ = PTHREAD_ONCE_INIT;
void (*itrace_exclude_)(int64_t ticks);

/* Reads both clocks at nearly the same moment. Keeps the try with the shortest reading of five. */
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

ITRACE_SHARED_ double itrace_ns_per_tick_(uint64_t least_ns)
{
	struct itrace_instant_ now;

	pthread_once(&itrace_first_once_, itrace_take_first_instant_);
	do
		now = itrace_now_();
	while (now.ns - itrace_first_instant_.ns < least_ns || now.ticks == itrace_first_instant_.ticks);
	return (double)(now.ns - itrace_first_instant_.ns) / (double)(now.ticks - itrace_first_instant_.ticks);
}

/* Sorts by insertion, because there are few values. */
ITRACE_SHARED_ double itrace_trimmed_mean_(int64_t *values, unsigned n, unsigned n_cut)
{
	double sum = 0;
	unsigned i, j;

	for (i = 1; i < n; i++) {
		int64_t value = values[i];

		for (j = i; j > 0 && values[j - 1] > value; j--)
			values[j] = values[j - 1];
		values[j] = value;
	}
	for (i = n_cut; i < n - n_cut; i++)
		sum += (double)values[i];
	return sum / (n - 2 * n_cut);
}

#endif

#ifdef __cplusplus
}
#endif

#endif
