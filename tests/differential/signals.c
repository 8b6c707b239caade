/* Work that is the same however often a timer's signal interrupts it: signals MICROSECONDS. Region "work" is to count the same whatever
 * the interval; what the handler does is counted apart. Sorting calls through pointers and returns; REP; system calls.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include <itrace/markers.h>

enum { N_ITEMS = 5000, N_BYTES = 3000 };

static volatile sig_atomic_t n_signals;
static int32_t items[N_ITEMS];
static char from[N_BYTES], to[N_BYTES];

static void on_alarm(int signal)
{
	(void)signal;
	n_signals++;
}

static int compare(const void *left, const void *right)
{
	const int32_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static uint64_t compare_bytes(void)
{
	const char *left = from, *right = to;
	size_t n = N_BYTES;

	__asm__ volatile("repe cmpsb" : "+c"(n), "+S"(left), "+D"(right) : : "memory", "cc");
	return n;
}

static void copy_bytes(void)
{
	const char *source = from;
	char *destination = to;
	size_t n = N_BYTES;

	__asm__ volatile("rep movsb" : "+c"(n), "+S"(source), "+D"(destination) : : "memory");
}

int main(int argc, char **argv)
{
	long interval_us = argc > 1 ? atol(argv[1]) : 0;
	struct itimerval timer = {.it_interval = {.tv_sec = interval_us / 1000000, .tv_usec = interval_us % 1000000}};
	uint32_t random = 1;
	uint64_t sum = 0;

	timer.it_value = timer.it_interval;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	PA_BEGIN("work");
	for (int round = 0; round < 60; round++) {
		for (int i = 0; i < N_ITEMS; i++)
			items[i] = (int32_t)((random = random * 1664525 + 1013904223) >> 1);
		qsort(items, N_ITEMS, sizeof(*items), compare);
		for (int i = 0; i < 300; i++) {
			copy_bytes();
			to[random % N_BYTES] = (char)i;
			sum += compare_bytes() + (getppid() > 0);
		}
	}
	PA_END("work");
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
