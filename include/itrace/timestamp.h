/* Times a stretch of code to within some ten cycles:
 *
 *	struct pa_time t;
 *
 *	PA_TIME_BEGIN(t);
 *	work();
 *	PA_TIME_END(t);
 *	printf("%.0f cycles, %.1f ns\n", PA_TIME_CYCLES(t), PA_TIME_NS(t));
 *
 * PA_TIME_BEGIN (LFENCE; RDTSC; LFENCE) waits until all earlier instructions have been executed. PA_TIME_END (RDTSCP;
 * LFENCE) waits until all of the work has been executed. They stall the CPU for some 20 to 50 ns. The ticks that an
 * empty pair measures are subtracted. Therefore t.ticks of an empty pair is 0 on average, and may be slightly negative.
 *
 * A tick is an increment of the time-stamp counter, at a constant rate. Core cycles depend on the core's clock, which
 * changes. PA_TIME_CYCLES converts at the clock that the core had at the last PA_TIME_CALIBRATE(), or else at the first
 * PA_TIME_CYCLES. Calibrate next to the work, when the core is warm. This takes some 50 us. The first PA_TIME_NS waits
 * until 10 ms have passed since the first PA_TIME_BEGIN; with scopes.h, since the start of the program.
 *
 * The time includes interrupts and other programs. Some CPUs advance the counter in steps: of 10 ns on Zen 4 and Zen 5
 * in virtual machines. Therefore time the work some hundred times, leave out the few largest times, and take the mean.
 *
 * t may be used any number of times, by one thread at a time. Each macro evaluates its argument once. Needs an x86 CPU
 * with SSE2 and RDTSCP (since 2008), 32 or 64 bits. With -DPA_DISABLE nothing is timed and all times are 0. With glibc
 * before 2.34 link with -pthread. Programs of many files: see ITRACE_EXTERN in ticks.h.
 */
#ifndef ITRACE_TIMESTAMP_H
#define ITRACE_TIMESTAMP_H

#include <stdint.h>

#define ITRACE_TIMESTAMP_VERSION 1 /* of this interface; rises when it changes */

struct pa_time {
	uint64_t begin_ticks;
	int64_t ticks; /* between BEGIN and END, without the overhead */
};

#ifdef PA_DISABLE

#define PA_TIME_BEGIN(t) ((void)((t).ticks = 0))
#define PA_TIME_END(t) ((void)(t).ticks)
#define PA_TIME_NS(t) ((double)(t).ticks)
#define PA_TIME_CYCLES(t) ((double)(t).ticks)
#define PA_TIME_CALIBRATE() ((void)0)

#else

#if !defined(__x86_64__) && !defined(__i386__)
#error "itrace/timestamp.h reads the time-stamp counter of x86; scopes.h works elsewhere too"
#endif

#include <itrace/ticks.h>

#define PA_TIME_BEGIN(t) itrace_time_begin_(&(t))
#define PA_TIME_END(t) itrace_time_end_(&(t))
#define PA_TIME_NS(t) ((double)(t).ticks * itrace_time_ns_per_tick_())
#define PA_TIME_CYCLES(t) ((double)(t).ticks * itrace_time_cycles_per_tick_())
#define PA_TIME_CALIBRATE() itrace_time_measure_clock_()

struct itrace_time_ {
	int64_t overhead;	/* ticks that an empty pair measures */
	double ns_per_tick;	/* 0: not measured yet */
	double cycles_per_tick; /* 0: not measured yet */
};

#ifdef __cplusplus
extern "C" {
#endif

extern ITRACE_SHARED_VARIABLE_ struct itrace_time_ itrace_time_;
extern ITRACE_SHARED_VARIABLE_ pthread_once_t itrace_time_once_;
ITRACE_SHARED_ void itrace_time_measure_overhead_(void);
ITRACE_SHARED_ void itrace_time_measure_clock_(void);
ITRACE_SHARED_ double itrace_time_ns_per_tick_(void);
ITRACE_SHARED_ double itrace_time_cycles_per_tick_(void);

/* LFENCE waits until all earlier instructions are done, and delays all later ones (Intel SDM volume 2, LFENCE and
 * RDTSC). On AMD this needs bit 1 of DE_CFG, which Linux sets (arch/x86/kernel/cpu/amd.c). RDTSCP waits for earlier
 * instructions but does not delay later ones. */
ITRACE_INLINE_ uint64_t itrace_ticks_begin_(void)
{
	uint32_t low, high;

	__asm__ __volatile__("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

ITRACE_INLINE_ uint64_t itrace_ticks_end_(void)
{
	uint32_t low, high, processor;

	__asm__ __volatile__("rdtscp\n\tlfence" : "=a"(low), "=d"(high), "=c"(processor)::"memory");
	return (uint64_t)high << 32 | low;
}

ITRACE_INLINE_ void itrace_time_begin_(struct pa_time *t)
{
	pthread_once(&itrace_time_once_, itrace_time_measure_overhead_);
	t->begin_ticks = itrace_ticks_begin_();
}

ITRACE_INLINE_ void itrace_time_end_(struct pa_time *t)
{
	t->ticks = (int64_t)(itrace_ticks_end_() - t->begin_ticks) - itrace_time_.overhead;
}

#if ITRACE_DEFINES_

#define ITRACE_TIME_LEAST_NS_ 10000000
#define ITRACE_TIME_PAIRS_ 501
#define ITRACE_TIME_CHAINS_ 51
#define ITRACE_TIME_CHAIN_ADDS_ 2000

struct itrace_time_ itrace_time_ = {0, 0, 0};
pthread_once_t itrace_time_once_ = PTHREAD_ONCE_INIT;

/* If the counter advances in steps, an empty pair has one of two or three different values. The mean must include
 * nearly all pairs. A median, or a mean of the middle half, would be off by up to half a step. */
ITRACE_SHARED_ void itrace_time_measure_overhead_(void)
{
	uint64_t begin = itrace_ticks_();
	int64_t ticks[ITRACE_TIME_PAIRS_];
	double mean;
	int i;

	pthread_once(&itrace_first_once_, itrace_take_first_instant_);
	for (i = 0; i < ITRACE_TIME_PAIRS_; i++) {
		struct pa_time t;

		t.begin_ticks = itrace_ticks_begin_();
		itrace_time_end_(&t);
		ticks[i] = t.ticks;
	}
	mean = itrace_trimmed_mean_(ticks, ITRACE_TIME_PAIRS_, ITRACE_TIME_PAIRS_ / 20);
	itrace_time_.overhead = (int64_t)(mean + 0.5);
	itrace_exclude_since_(begin);
}

/* Adding a register to itself takes one cycle on all CPUs in uops.info's tables, and each addition waits for the
 * previous one. (Additions of small constants need not wait. Intel's CPUs since Alder Lake execute them when they
 * rename registers.) */
ITRACE_SHARED_ void itrace_time_measure_clock_(void)
{
	int64_t ticks[ITRACE_TIME_CHAINS_];
	uint64_t begin;
	int i, j;

	pthread_once(&itrace_time_once_, itrace_time_measure_overhead_);
	begin = itrace_ticks_();
	for (i = 0; i < ITRACE_TIME_CHAINS_; i++) {
		unsigned sum = 1;
		struct pa_time t;

		itrace_time_begin_(&t);
		for (j = 0; j < ITRACE_TIME_CHAIN_ADDS_ / 100; j++)
			__asm__ __volatile__(".rept 100\n\tadd %0, %0\n\t.endr" : "+r"(sum)::"cc");
		itrace_time_end_(&t);
		ticks[i] = t.ticks;
	}
	itrace_time_.cycles_per_tick = ITRACE_TIME_CHAIN_ADDS_ /
				       itrace_trimmed_mean_(ticks, ITRACE_TIME_CHAINS_, ITRACE_TIME_CHAINS_ / 4);
	itrace_exclude_since_(begin);
}

ITRACE_SHARED_ double itrace_time_ns_per_tick_(void)
{
	if (itrace_time_.ns_per_tick == 0) {
		uint64_t begin = itrace_ticks_();

		itrace_time_.ns_per_tick = itrace_ns_per_tick_(ITRACE_TIME_LEAST_NS_);
		itrace_exclude_since_(begin);
	}
	return itrace_time_.ns_per_tick;
}

ITRACE_SHARED_ double itrace_time_cycles_per_tick_(void)
{
	if (itrace_time_.cycles_per_tick == 0)
		itrace_time_measure_clock_();
	return itrace_time_.cycles_per_tick;
}

#endif

#ifdef __cplusplus
}
#endif

#endif

#endif
