/* SIGSTOP, then SIGCONT, from a child while the parent is inside its region: it stops, goes on and is done.
 *
 * ANSWER
 *   region stopped: visits 1, cut 0, instructions >= 1000
 *   stdout continued 0
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <itrace/markers.h>

static void sleep_ms(long ms)
{
	struct timespec pause = {0, ms * 1000000};
	nanosleep(&pause, NULL);
}

int main(void)
{
	volatile int done = 0;
	struct timespec start, now;
	int status;

	fflush(stdout);
	clock_gettime(CLOCK_MONOTONIC, &start);
	pid_t child = fork();
	if (child == 0) {
		sleep_ms(50);
		kill(getppid(), SIGSTOP);
		sleep_ms(150);
		kill(getppid(), SIGCONT);
		_exit(0);
	}
	PA_BEGIN("stopped");
	do {
		for (int i = 0; i < 100; i++)
			done++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 120);
	PA_END("stopped");
	waitpid(child, &status, 0);
	printf("continued %d\n", status);
	return 0;
}
