/* Threads: "one" lets one thread into the region while two others run outside it; "all" lets four in, two times each,
 * and the region is the sum of what they did in it; "crowd" lets eight in, 50 times each, while children are forked
 * that pass the same markers; "join" waits for threads inside a region.
 *
 * ANSWER
 *   args one
 *   region counted: visits 2, cut 0, instructions 45
 *    15  ADD r32, r32
 *    15  DEC r32
 *    15  JNZ rel8
 *   stdout 70 ok
 *
 * ANSWER
 *   args all
 *   region counted: visits 8, cut 0, instructions 180
 *    60  ADD r32, r32
 *    60  DEC r32
 *    60  JNZ rel8
 *   stdout 280 ok
 *
 * ANSWER
 *   args crowd
 *   region counted: visits 400, cut 0, instructions 6000
 *  2000  ADD r32, r32
 *  2000  DEC r32
 *  2000  JNZ rel8
 *   stdout 6000 ok
 *
 * ANSWER
 *   args join
 *   region joining: visits 1, cut 0, instructions >= 10
 *   stdout 0 ok
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <itrace/markers.h>

#include "counted.h"

static atomic_int sum;
static atomic_bool stop;
static atomic_long idle_rounds;

static void *count(void *unused)
{
	(void)unused;
	sum += counted(10) + counted(5);
	return NULL;
}

static void *idle(void *unused)
{
	(void)unused;
	while (!stop)
		idle_rounds++;
	return NULL;
}

static void *count_often(void *unused)
{
	(void)unused;
	for (int i = 0; i < 50; i++)
		sum += counted(5);
	return NULL;
}

static bool fork_counting_child(void)
{
	int status;
	if (fork() == 0)
		_exit(counted(5));
	return wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 15;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	const char *who = argv[1];
	bool is_crowd = !strcmp(who, "crowd"), good = true;
	int n_counting = is_crowd ? 8 : !strcmp(who, "all") ? 4 : !strcmp(who, "one") ? 1 : 0;
	pthread_t idling[2], counting[8];

	for (int i = 0; i < 2; i++)
		pthread_create(&idling[i], NULL, idle, NULL);
	if (!strcmp(who, "join"))
		PA_BEGIN("joining");
	for (int i = 0; i < n_counting; i++)
		pthread_create(&counting[i], NULL, is_crowd ? count_often : count, NULL);
	for (int i = 0; is_crowd && i < 5; i++)
		good &= fork_counting_child();
	for (int i = 0; i < n_counting; i++)
		pthread_join(counting[i], NULL);
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(idling[i], NULL);
	if (!strcmp(who, "join"))
		PA_END("joining");
	printf("%d %s\n", (int)sum, good ? "ok" : "bad child");
	return 0;
}
