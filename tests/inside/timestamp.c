/* Prints the cycles of an empty pair and of 1,000 and 10,000 dependent additions, one cycle each, and the ns of a
 * pair and of CLOCK_MONOTONIC. */
#include <itrace/timestamp.h>

#include <stdio.h>

#define N_TIMES 1001
#define SPIN_NS 20000000

static void chain(int n_blocks)
{
	unsigned sum = 1;
	int i;

	for (i = 0; i < n_blocks; i++)
		__asm__ __volatile__(".rept 100\n\tadd %0, %0\n\t.endr" : "+r"(sum)::"cc");
}

static double cycles(int n_blocks)
{
	int64_t ticks[N_TIMES];
	struct pa_time t;
	int i;

	for (i = 0; i < N_TIMES; i++) {
		int n_evaluated = 0;

		PA_TIME_BEGIN((&t)[n_evaluated++]);
		chain(n_blocks);
		PA_TIME_END((&t)[n_evaluated++ - 1]);
		ticks[i] = n_evaluated == 2 ? t.ticks : -1000000;
	}
	PA_TIME_CALIBRATE();
	t.ticks = 1000;
	return itrace_trimmed_mean_(ticks, N_TIMES, N_TIMES / 20) * PA_TIME_CYCLES(t) / 1000;
}

int main(void)
{
	uint64_t begin_ns, ns;
	struct pa_time t;

	printf("%.2f %.2f %.2f", cycles(0), cycles(10), cycles(100));
	PA_TIME_BEGIN(t);
	begin_ns = itrace_clock_ns_();
	do
		ns = itrace_clock_ns_() - begin_ns;
	while (ns < SPIN_NS);
	PA_TIME_END(t);
	printf(" %.0f %llu\n", PA_TIME_NS(t), (unsigned long long)ns);
	return 0;
}
