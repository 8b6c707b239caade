/* Times a stretch of code to within some ten cycles:
 *
 *	struct pa_time t;
 *
 *	PA_TIME_BEGIN(t);
 *	work();
 *	PA_TIME_END(t);
 *	printf("%.0f cycles, %.1f ns\n", PA_TIME_CYCLES(t), PA_TIME_NS(t));
 *
 * What stands between the macros begins after all that is before it has been executed, and all of it has been executed
 * before the second reading: LFENCE; RDTSC; LFENCE and RDTSCP; LFENCE. That stalls the CPU for some 20 to 50 ns, of
 * which an empty pair's share is subtracted: t.ticks is 0 on average where there is nothing to time, and may be a few
 * ticks below.
 *
 * A tick is one of the time-stamp counter, whose rate is constant. Core cycles depend on the core's clock, which
 * changes: PA_TIME_CYCLES converts at the clock that the core had at the last PA_TIME_CALIBRATE(), or else at the
 * first PA_TIME_CYCLES. Calibrate next to what you time, when the core is warm; it takes some 50 us. PA_TIME_NS may
 * wait at its first use until 10 ms have passed since the first PA_TIME_BEGIN.
 *
 * Interrupts, and other programs that ran meanwhile, are inside; and some CPUs advance the counter in steps, of 10 ns
 * on a Zen 5. So time it some hundred times and take the mean of the middle half. t may be used again and again; each
 * thread needs its own. x86 with SSE2 and RDTSCP (since 2008), 32 and 64 bit. With -DPA_DISABLE nothing is timed and
 * all times are 0. With glibc before 2.34 link with -pthread.
 */
#ifndef ITRACE_TIMESTAMP_H
#define ITRACE_TIMESTAMP_H

#include <stdint.h>

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

#define PA_TIME_BEGIN(t)                                                         \
	do {                                                                     \
		pthread_once(&itrace_time_once_, itrace_time_measure_overhead_); \
		(t).begin_ticks = itrace_ticks_begin_();                         \
	} while (0)
#define PA_TIME_END(t) ((void)((t).ticks = (int64_t)(itrace_ticks_end_() - (t).begin_ticks) - itrace_time_.overhead))
#define PA_TIME_NS(t) ((double)(t).ticks * itrace_time_ns_per_tick_())
#define PA_TIME_CYCLES(t) ((double)(t).ticks * itrace_time_cycles_per_tick_())
#define PA_TIME_CALIBRATE() itrace_time_measure_clock_()

#define ITRACE_TIME_LEAST_NS_ 10000000

/* LFENCE waits until all instructions before it are done and holds back those after it: Intel SDM volume 2, LFENCE and
 * RDTSC; on AMD since Linux sets DE_CFG's bit 1 (arch/x86/kernel/cpu/amd.c). RDTSCP waits only for those before it. */
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

struct itrace_time_ {
	int64_t overhead;	/* ticks that an empty pair seems to take */
	double ns_per_tick;	/* 0: not known yet */
	double cycles_per_tick; /* 0: not known yet */
};

#ifdef __cplusplus
extern "C" {
#endif

extern ITRACE_SHARED_ struct itrace_time_ itrace_time_;
extern ITRACE_SHARED_ pthread_once_t itrace_time_once_;
void itrace_time_measure_overhead_(void);
void itrace_time_measure_clock_(void);
double itrace_time_ns_per_tick_(void);
double itrace_time_cycles_per_tick_(void);

struct itrace_time_ itrace_time_ = {0, 0, 0};
pthread_once_t itrace_time_once_ = PTHREAD_ONCE_INIT;

#define ITRACE_TIME_PAIRS_ 501

ITRACE_SHARED_ void itrace_time_measure_overhead_(void)
{
	int64_t ticks[ITRACE_TIME_PAIRS_];
	int i;

	pthread_once(&itrace_first_once_, itrace_take_first_instant_);
	for (i = 0; i < ITRACE_TIME_PAIRS_; i++) {
		struct pa_time t;

		t.begin_ticks = itrace_ticks_begin_();
		PA_TIME_END(t);
		ticks[i] = t.ticks;
	}
	itrace_time_.overhead = (int64_t)(itrace_middle_mean_(ticks, ITRACE_TIME_PAIRS_) + 0.5);
}

#define ITRACE_TIME_CHAINS_ 51
#define ITRACE_TIME_CHAIN_ADDS_ 2000

/* A register's addition to itself takes one cycle on all CPUs in uops.info's tables, and none can begin before the one
 * before it is done. (Additions of small constants can: Intel since Alder Lake does those as it renames registers.) */
ITRACE_SHARED_ void itrace_time_measure_clock_(void)
{
	int64_t ticks[ITRACE_TIME_CHAINS_];
	int i, j;

	pthread_once(&itrace_time_once_, itrace_time_measure_overhead_);
	for (i = 0; i < ITRACE_TIME_CHAINS_; i++) {
		unsigned sum = 1;
		struct pa_time t;

		PA_TIME_BEGIN(t);
		for (j = 0; j < ITRACE_TIME_CHAIN_ADDS_ / 100; j++)
			__asm__ __volatile__(".rept 100\n\tadd %0, %0\n\t.endr" : "+r"(sum)::"cc");
		PA_TIME_END(t);
		ticks[i] = t.ticks;
	}
	itrace_time_.cycles_per_tick = ITRACE_TIME_CHAIN_ADDS_ / itrace_middle_mean_(ticks, ITRACE_TIME_CHAINS_);
}

ITRACE_SHARED_ double itrace_time_ns_per_tick_(void)
{
	if (itrace_time_.ns_per_tick == 0)
		itrace_time_.ns_per_tick = itrace_ns_per_tick_(ITRACE_TIME_LEAST_NS_);
	return itrace_time_.ns_per_tick;
}

ITRACE_SHARED_ double itrace_time_cycles_per_tick_(void)
{
	if (itrace_time_.cycles_per_tick == 0)
		itrace_time_measure_clock_();
	return itrace_time_.cycles_per_tick;
}

#ifdef __cplusplus
}
#endif

#endif

#endif
