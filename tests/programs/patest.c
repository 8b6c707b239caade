/* Fifteen functions that do nothing but take time, called in turn: what a sampler must get right.
 *
 *	patest [-p] [PASSES [SCALE [DELAY ... ]]]
 *
 * The main loop makes PASSES (5) passes; in each it calls every function once, for DELAY << SCALE iterations of its
 * loop. Without DELAYs they are 1, 2, ... 15, so that function k has k/120 of the time; a single one is that of all;
 * SCALE is 10. -p prints how long a pass took: the program's period, which a sampler must not match.
 *
 * After the test program of F. Motteler, "Statistical Performance Analysis", Dr. Dobb's Journal, December 1991, with
 * its defaults; there a good period and a bad one differ in nothing but 1 %: 3,850 and 3,900 bus cycles.
 *
 * ANSWER --function delay_one --function delay_fifteen
 *   args 3 1
 *   stdout 720
 *   region delay_one: visits 3
 *    ...
 *   region delay_fifteen: visits 3
 *    ...
 * ANSWER --function delay_eight
 *   args 2 0 4
 *   stdout 120
 *   region delay_eight: visits 2
 *    ...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N_DELAYS 15

static int scale = 10;

/* Equal code, equally aligned, as that decides on the speed of short loops. But for the number the linker might merge
 * it. */
#define DELAY_FUNCTION(name, number)                                            \
	__attribute__((noinline)) long name(int delay);                         \
	__attribute__((noinline, aligned(64))) long name(int delay)             \
	{                                                                       \
		long count = 0;                                                 \
		int i, n = delay << scale;                                      \
                                                                                \
		__asm__ __volatile__("" ::"i"(number));                         \
		for (i = 0; i < n; i++)                                         \
			__asm__ __volatile__("add $1, %0" : "+r"(count)::"cc"); \
		return count;                                                   \
	}

DELAY_FUNCTION(delay_one, 1)
DELAY_FUNCTION(delay_two, 2)
DELAY_FUNCTION(delay_three, 3)
DELAY_FUNCTION(delay_four, 4)
DELAY_FUNCTION(delay_five, 5)
DELAY_FUNCTION(delay_six, 6)
DELAY_FUNCTION(delay_seven, 7)
DELAY_FUNCTION(delay_eight, 8)
DELAY_FUNCTION(delay_nine, 9)
DELAY_FUNCTION(delay_ten, 10)
DELAY_FUNCTION(delay_eleven, 11)
DELAY_FUNCTION(delay_twelve, 12)
DELAY_FUNCTION(delay_thirteen, 13)
DELAY_FUNCTION(delay_fourteen, 14)
DELAY_FUNCTION(delay_fifteen, 15)

static long pass(const int *delays)
{
	long sum = 0;

	sum += delay_one(delays[0]);
	sum += delay_two(delays[1]);
	sum += delay_three(delays[2]);
	sum += delay_four(delays[3]);
	sum += delay_five(delays[4]);
	sum += delay_six(delays[5]);
	sum += delay_seven(delays[6]);
	sum += delay_eight(delays[7]);
	sum += delay_nine(delays[8]);
	sum += delay_ten(delays[9]);
	sum += delay_eleven(delays[10]);
	sum += delay_twelve(delays[11]);
	sum += delay_thirteen(delays[12]);
	sum += delay_fourteen(delays[13]);
	sum += delay_fifteen(delays[14]);
	return sum;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	int delays[N_DELAYS], first = 1, show_period = 0;
	long passes = 5, i, sum = 0;
	double begin;

	if (first < argc && strcmp(argv[first], "-p") == 0) {
		show_period = 1;
		first++;
	}
	if (first < argc)
		passes = atol(argv[first++]);
	if (first < argc)
		scale = atoi(argv[first++]);
	if (argc - first != 0 && argc - first != 1 && argc - first != N_DELAYS) {
		fprintf(stderr, "usage: patest [-p] [PASSES [SCALE [DELAY, or 15 DELAYs]]]\n");
		return 2;
	}
	for (i = 0; i < N_DELAYS; i++)
		delays[i] = first == argc ? (int)i + 1 : atoi(argv[argc - first == 1 ? first : first + i]);
	begin = seconds();
	for (i = 0; i < passes; i++)
		sum += pass(delays);
	printf("%ld\n", sum);
	if (show_period)
		printf("%.1f ns a pass\n", (seconds() - begin) * 1e9 / (double)passes);
	return 0;
}
