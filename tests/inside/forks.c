/* Forks inside a scope while another thread uses scopes; with an argument, forks before the first scope. */
#include <itrace/scopes.h>

#include <sys/wait.h>
#include <unistd.h>

static void counted(int n)
{
	for (; n > 0; n--) {
		PA_SCOPE();
	}
}

static void *keep_busy(void *unused)
{
	for (;;) {
		PA_SCOPE("busy");
	}
	return unused;
}

static int fork_and_count(void)
{
	pid_t child = fork();
	int status = 1;

	if (child == 0)
		counted(3);
	else
		waitpid(child, &status, 0);
	return child == 0 ? 0 : status;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int status;

	(void)argv;
	if (argc > 1) {
		status = fork_and_count();
		counted(2);
		return status;
	}
	pthread_create(&thread, NULL, keep_busy, NULL);
	counted(10);
	{
		PA_SCOPE("across");
		status = fork_and_count();
	}
	return status;
}
