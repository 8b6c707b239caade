/* A read from a pipe inside a region, interrupted by a timer's signal: restarted with SA_RESTART, EINTR without.
 *
 * ANSWER
 *   region reading: visits 2, cut 0, instructions >= 10
 *   stdout read 1, read failed: Interrupted system call, 2 alarms
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <itrace/markers.h>

static volatile int alarms;
static int alarm_pipe[2];

static void handle(int signal)
{
	(void)signal;
	alarms += (int)write(alarm_pipe[1], "x", 1);
}

/* The alarm comes after 200 ms; a child writes a byte 50 ms after that, however busy the machine is. */
static void read_interrupted(int flags)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
	struct itimerval in_200_ms = {.it_value.tv_usec = 200000};
	int ends[2];
	char byte;

	sigaction(SIGALRM, &action, NULL);
	if (pipe(ends) != 0 || pipe(alarm_pipe) != 0)
		return;
	if (fork() == 0) {
		ssize_t n_alarms = read(alarm_pipe[0], &byte, 1);

		usleep(50000);
		_exit(n_alarms != 1 || write(ends[1], "x", 1) != 1);
	}
	PA_BEGIN("reading");
	setitimer(ITIMER_REAL, &in_200_ms, NULL);
	ssize_t got = read(ends[0], &byte, 1);
	int error = errno;
	PA_END("reading");
	if (got < 0)
		printf("read failed: %s, ", strerror(error));
	else
		printf("read %zd, ", got);
	fflush(stdout);
	wait(NULL);
}

int main(void)
{
	read_interrupted(SA_RESTART);
	read_interrupted(0);
	printf("%d alarms\n", alarms);
	return 0;
}
