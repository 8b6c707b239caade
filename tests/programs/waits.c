/* Waits in system calls, for tests/processes: waits read|sleep|both|stop
 *
 * Prints "ready", then what the call that it names gave: a line that was read, how long a sleep of a second took in
 * tenths of a
 * second, or both, the sleep in a thread. `stop` counts up in a region until standard input ends. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <itrace/markers.h>

static void *sleep_a_second(void *unused)
{
	const struct timespec second = {.tv_sec = 1};
	struct timespec before, after;
	int result;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &before);
	result = nanosleep(&second, NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	printf("slept %d: %ld\n", result,
	       (after.tv_sec - before.tv_sec) * 10 + (after.tv_nsec - before.tv_nsec) / 100000000);
	return NULL;
}

static void read_line(void)
{
	char line[64] = "";
	ssize_t n_bytes = read(STDIN_FILENO, line, sizeof(line) - 1);

	printf("read %zd: %s", n_bytes, line);
}

static void count(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	unsigned n = 0;

	do {
		PA_BEGIN("count");
		n++;
		PA_END("count");
	} while (poll(&input, 1, 1) == 0);
	printf("counted %s\n", n ? "on" : "nothing");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "read";
	pthread_t thread;

	puts("ready");
	fflush(stdout);
	if (strcmp(what, "both") == 0 && pthread_create(&thread, NULL, sleep_a_second, NULL) != 0)
		return 1;
	if (strcmp(what, "sleep") == 0)
		sleep_a_second(NULL);
	else if (strcmp(what, "stop") == 0)
		count();
	else
		read_line();
	if (strcmp(what, "both") == 0)
		pthread_join(thread, NULL);
	return 0;
}
