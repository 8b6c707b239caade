/* Threads that execute different amounts of work in one region. The work of each is known.
 *
 *   four     threads work1 to work4 come to the region in this order; work N executes counted(N), then three times
 *   counted(10 N):
 *            4 visits, 3 N + 3 * 30 N = 93 N instructions each
 *   crowd N  so many threads, named crowd, one after the other: counted(1) each, 3 instructions
 *   signals  threads sig1 and sig2, one after the other, in region outer: sig N sends itself N signals, whose handler
 *            executes counted(5)
 *   race     thread long executes counted(1,000,000) ten times, while thread often executes counted(100) 1,000 times:
 *   30,000,000
 *            and 300,000 instructions
 *
 * ANSWER
 *   args four
 *   region counted: visits 16, cut 0, instructions 930
 *   310  ADD r32, r32
 *   310  DEC r32
 *   310  JNZ rel8
 *   stdout 4670
 *
 * ANSWER
 *   args signals
 *   region counted: visits 3, cut 0, instructions 45
 *    15  ADD r32, r32
 *    15  DEC r32
 *    15  JNZ rel8
 *   region outer: visits 2, cut 0, instructions >= 100
 *    ...
 *     syscall tgkill 3
 *   handlers outer: visits 3, cut 0, instructions >= 50
 *    ...
 *     syscall rt_sigreturn 3
 *   stdout 45
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <itrace/markers.h>

#include "counted.h"

static atomic_int sum, turn = 1;

static void set_name(const char *format, int n)
{
	char name[16];

	snprintf(name, sizeof(name), format, n);
	pthread_setname_np(pthread_self(), name);
}

static void *work(void *argument)
{
	int n = *(int *)argument;

	set_name("work%d", n);
	while (turn < n)
		usleep(100);
	sum += counted(n);
	turn++;
	while (turn <= 4)
		usleep(100);
	for (int i = 0; i < 3; i++)
		sum += counted(10 * n);
	return NULL;
}

static void *join_crowd(void *argument)
{
	set_name("crowd", 0);
	sum += counted(1);
	return argument;
}

static void handle(int signal)
{
	(void)signal;
	sum += counted(5);
}

static void *signal_self(void *argument)
{
	int n = *(int *)argument, pid = getpid(), tid = gettid();

	set_name("sig%d", n);
	PA_BEGIN("outer");
	for (int i = 0; i < n; i++)
		syscall(SYS_tgkill, pid, tid, SIGUSR1);
	PA_END("outer");
	return NULL;
}

static void *race(void *argument)
{
	bool is_long = *(int *)argument == 1;

	pthread_setname_np(pthread_self(), is_long ? "long" : "often");
	for (int i = 0; i < (is_long ? 10 : 1000); i++)
		counted(is_long ? 1000000 : 100);
	return NULL;
}

static void run_in_turn(void *(*function)(void *), int n_threads)
{
	for (int i = 1; i <= n_threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, function, &i))
			abort();
		pthread_join(thread, NULL);
	}
}

static void run_at_once(void *(*function)(void *), int n_threads)
{
	pthread_t threads[4];
	int numbers[4];

	for (int i = 0; i < n_threads; i++) {
		numbers[i] = i + 1;
		if (pthread_create(&threads[i], NULL, function, &numbers[i]))
			abort();
	}
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "four"))
		run_at_once(work, 4);
	else if (argc == 2 && !strcmp(argv[1], "race"))
		run_at_once(race, 2);
	else if (argc == 3 && !strcmp(argv[1], "crowd"))
		run_in_turn(join_crowd, atoi(argv[2]));
	else if (argc == 2 && !strcmp(argv[1], "signals") && signal(SIGUSR1, handle) != SIG_ERR)
		run_in_turn(signal_self, 2);
	else
		return 2;
	printf("%d\n", (int)sum);
	return 0;
}
