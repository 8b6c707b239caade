/* Fifteen delay functions called in turn: what program-counter sampling should find is known.
 *
 *     in_step [--ramp] [--us TIME] [--steps N] [LOOPS]
 *
 * All fifteen take the same time, or with --ramp the second twice as long as the first, the third three times and so
 * on. Without --us a delay is N steps of a loop. With it the whole loop takes TIME microseconds of the thread's CPU
 * time, and what one loop took too long the next one makes up for: a program in step with whoever samples it at
 * that period. Within a loop the time-stamp counter measures, less the time in which another program had the
 * processor.
 *
 * After the idea of the test program in F. Motteler, "Statistical Performance Analysis" (Dr. Dobb's Journal,
 * December 1991).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#define N_DELAYS 15

/* A longer time between two looks at the counter was someone else's. The interrupt that takes a sample is shorter. */
#define GAP_NS 100000

static uint64_t gap_ticks, last_tick, spent_ticks, due_ticks;
static volatile uint64_t sink;

static inline __attribute__((always_inline)) void pass_time(uint64_t steps, uint64_t ticks)
{
	due_ticks += ticks;
	do {
		uint64_t now = __rdtsc();

		if (now - last_tick < gap_ticks)
			spent_ticks += now - last_tick;
		last_tick = now;
	} while (ticks && spent_ticks < due_ticks);
	for (uint64_t i = 0; i < steps; i++)
		sink += i;
}

/* Equal code, but so many functions: each has a statement of its own, so that none is folded into another. */
#define DELAY(name, number)                                                        \
	static __attribute__((noinline)) void name(uint64_t steps, uint64_t ticks) \
	{                                                                          \
		pass_time(steps, ticks);                                           \
		__asm__ volatile("" ::"i"(number));                                \
	}

DELAY(delay_one, 1)
DELAY(delay_two, 2)
DELAY(delay_three, 3)
DELAY(delay_four, 4)
DELAY(delay_five, 5)
DELAY(delay_six, 6)
DELAY(delay_seven, 7)
DELAY(delay_eight, 8)
DELAY(delay_nine, 9)
DELAY(delay_ten, 10)
DELAY(delay_eleven, 11)
DELAY(delay_twelve, 12)
DELAY(delay_thirteen, 13)
DELAY(delay_fourteen, 14)
DELAY(delay_fifteen, 15)

static void (*const delays[N_DELAYS])(uint64_t steps, uint64_t ticks) = {
	delay_one,  delay_two, delay_three,  delay_four,   delay_five,	   delay_six,	   delay_seven,	  delay_eight,
	delay_nine, delay_ten, delay_eleven, delay_twelve, delay_thirteen, delay_fourteen, delay_fifteen,
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of the time-stamp counter, by the kernel's clock over 50 ms: some parts in a million. */
static double ticks_per_ns(void)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), begin_tick = __rdtsc(), end_ns;

	do
		end_ns = clock_ns(CLOCK_MONOTONIC);
	while (end_ns - begin_ns < 50000000);
	return (double)(__rdtsc() - begin_tick) / (double)(end_ns - begin_ns);
}

int main(int argc, char **argv)
{
	double us = 0, per_ns = 0;
	uint64_t begin_ns;
	long loops = 1000, steps = 20000;
	int is_ramp = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--ramp") == 0) {
			is_ramp = 1;
		} else if (strcmp(argv[i], "--us") == 0 && i + 1 < argc) {
			us = atof(argv[++i]);
		} else if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc) {
			steps = atol(argv[++i]);
		} else if (!(loops = atol(argv[i]))) {
			fputs("usage: in_step [--ramp] [--us TIME] [--steps N] [LOOPS]\n", stderr);
			return 2;
		}
	}
	if (us > 0) {
		per_ns = ticks_per_ns();
		gap_ticks = (uint64_t)(GAP_NS * per_ns);
		us *= 1000 * per_ns;
	}
	begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (long loop = 0; loop < loops; loop++) {
		if (us > 0) {
			spent_ticks = (uint64_t)((double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns) * per_ns);
			last_tick = __rdtsc();
			due_ticks = (uint64_t)(us * (double)loop);
		}
		for (int i = 0; i < N_DELAYS; i++) {
			double part = is_ramp ? (i + 1) / 120.0 : 1.0 / N_DELAYS;

			delays[i](us > 0 ? 0 : (uint64_t)((double)steps * part * N_DELAYS), (uint64_t)(us * part));
		}
	}
	return 0;
}
