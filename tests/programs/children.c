/* Children that a program starts inside a region run natively through the same markers. Their exit statuses are right,
 * and their instructions are not counted.
 *
 * ANSWER
 *   args fork
 *   region parent: visits 1, cut 0
 *   region counted: visits 1, instructions 15
 *   stdout 15 in child; child ended 7; 15 in parent
 *
 * ANSWER
 *   args vfork
 *   region parent: visits 1, cut 0
 *   region counted: visits 1, instructions 15
 *   stdout child ended 7; 15 in parent
 *
 * ANSWER
 *   args vfork-counted
 *   region parent: visits 1, cut 0
 *   region counted: visits 1, instructions 15
 *   stdout child ended 7; 15 in parent
 *
 * ANSWER
 *   args posix_spawn
 *   region parent: visits 1, cut 0
 *   region counted: visits 1, instructions 15
 *   stdout child ended 7; 15 in parent
 *
 * ANSWER
 *   args system
 *   region parent: visits 1, cut 0
 *   region counted: visits 1, instructions 15
 *   stdout child ended 7; 15 in parent
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <itrace/markers.h>

#include "counted.h"

extern char **environ;

static char *const command[] = {"sh", "-c", "exit 7", NULL};

static int child_of_fork(void)
{
	int status = 0;
	if (fork() == 0) {
		printf("%d in child; ", counted(5));
		exit(7);
	}
	wait(&status);
	return status;
}

static int child_of_vfork(int n)
{
	int status = 0;
	if (vfork() == 0) {
		if (n > 0 && counted(n) != n * (n + 1) / 2)
			_exit(8);
		execv("/bin/sh", command);
		_exit(9);
	}
	wait(&status);
	return status;
}

static int child_of_spawn(void)
{
	pid_t pid;
	int status = 0;
	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, command, environ) != 0)
		return -1;
	waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	const char *how = argv[1];
	int status = -1;

	PA_BEGIN("parent");
	if (!strcmp(how, "fork"))
		status = child_of_fork();
	else if (!strcmp(how, "vfork"))
		status = child_of_vfork(0);
	else if (!strcmp(how, "vfork-counted"))
		status = child_of_vfork(5);
	else if (!strcmp(how, "posix_spawn"))
		status = child_of_spawn();
	else if (!strcmp(how, "system"))
		status = system("exit 7");
	int sum = counted(5);
	PA_END("parent");
	if (WIFEXITED(status))
		printf("child ended %d; %d in parent\n", WEXITSTATUS(status), sum);
	else
		printf("child killed by signal %d; %d in parent\n", WTERMSIG(status), sum);
	return 0;
}
