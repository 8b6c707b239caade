/* Prints "ready". Until standard input ends, it alternately calls posix_spawn for a program that does not exist and
 * forks a child that passes a region, while a thread passes the region too. Then it prints the number of children that
 * did not end as expected: "spawns: 0 wrong of 123".
 */
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <itrace/markers.h>

enum { MEMORY_BYTES = 64 << 20 }; /* to be copied, so that a fork takes a while */

static atomic_bool is_over;

static void pass(void)
{
	PA_BEGIN("passed");
	PA_END("passed");
}

static void *pass_often(void *unused)
{
	while (!is_over) {
		pass();
		usleep(200);
	}
	return unused;
}

static void *await_end(void *unused)
{
	while (getchar() != EOF)
		;
	is_over = true;
	return unused;
}

static bool ends_well(pid_t pid)
{
	int status = -1;

	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool spawn(void)
{
	char *argv[] = {"nowhere", NULL};
	pid_t pid;

	return posix_spawn(&pid, "/nowhere", NULL, NULL, argv, NULL) == ENOENT;
}

static bool fork_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pass();
		_exit(0);
	}
	return ends_well(pid);
}

int main(void)
{
	unsigned n_wrong = 0, n_children = 0;
	pthread_t passing, awaiting;
	char *memory = malloc(MEMORY_BYTES);

	for (size_t i = 0; memory && i < MEMORY_BYTES; i += 4096)
		memory[i] = 1;
	if (!memory || pthread_create(&passing, NULL, pass_often, NULL) ||
	    pthread_create(&awaiting, NULL, await_end, NULL))
		return 1;
	puts("ready");
	fflush(stdout);
	for (; !is_over; n_children += 2) {
		n_wrong += !spawn();
		n_wrong += !fork_child();
	}
	pthread_join(passing, NULL);
	pthread_join(awaiting, NULL);
	printf("spawns: %u wrong of %u\n", n_wrong, n_children);
	return n_wrong != 0;
}
