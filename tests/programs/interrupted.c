/* What becomes of a program that gets SIGINT inside its region: argument "handle", "ignore" or "die".
 * tests/golden/bad_input.py sends the signal as a terminal does, to the whole process group.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <itrace/markers.h>

static volatile int got;

static void handle(int signal)
{
	got = signal;
}

int main(int argc, char **argv)
{
	volatile int work = 0;
	struct timespec start, now;

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "handle"))
		signal(SIGINT, handle);
	else if (!strcmp(argv[1], "ignore"))
		signal(SIGINT, SIG_IGN);
	PA_BEGIN("waiting");
	puts("inside");
	fflush(stdout);
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		for (int i = 0; i < 100; i++)
			work++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (!got && now.tv_sec - start.tv_sec < 2);
	PA_END("waiting");
	printf("signal %d\n", got);
	return got ? 5 : 0;
}
