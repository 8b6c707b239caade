/* A child sends SIGSTOP, then SIGCONT, while the parent is inside its region. The parent stops, continues and ends.
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
	int status, rounds = 0;

	fflush(stdout);
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
	} while (waitpid(child, &status, WNOHANG) == 0 || ++rounds < 10);
	PA_END("stopped");
	printf("continued %d\n", status);
	return 0;
}
