/* SIGINT inside a region: argument "handle", "ignore" or "die". The program continues for 0.2 s after a signal that it
 * handles, so that a second one would be counted. tests/golden/bad_input.py sends it.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <itrace/markers.h>

static volatile int n_signals;

static void handle(int signal)
{
	(void)signal;
	n_signals++;
}

int main(int argc, char **argv)
{
	volatile int work = 0;
	long rounds_left = 20;

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "handle"))
		signal(SIGINT, handle);
	else if (!strcmp(argv[1], "ignore"))
		signal(SIGINT, SIG_IGN);
	PA_BEGIN("waiting");
	for (int i = 0; i < 200; i++)
		work++;
	puts("inside");
	fflush(stdout);
	while (rounds_left > 0) {
		struct timespec pause = {0, 100000000};

		if (nanosleep(&pause, NULL) == 0)
			rounds_left = n_signals && rounds_left > 2 ? 2 : rounds_left - 1;
	}
	PA_END("waiting");
	printf("%d signals\n", n_signals);
	return n_signals ? 5 : 0;
}
