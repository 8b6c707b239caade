#include "timing/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"

void *child_allocate_shared(size_t n_bytes, struct error *err)
{
	void *memory = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED)
		return memory;
	error_set_errno(err, ERROR_ENVIRONMENT, "cannot get memory to share with the processes that measure");
	return NULL;
}

void child_free_shared(void *memory, size_t n_bytes)
{
	munmap(memory, n_bytes);
}

static void prepare_child(unsigned int seconds)
{
	static const int fatal[] = {SIGILL, SIGSEGV, SIGFPE, SIGBUS, SIGTRAP, SIGALRM};
	const struct rlimit no_core = {0, 0};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &no_core);
	for (size_t i = 0; i < ARRAY_LENGTH(fatal); i++)
		signal(fatal[i], SIG_DFL);
	signal(SIGINT, SIG_IGN); /* the parent ends the run */
	alarm(seconds);
}

bool child_run(void (*function)(void *), void *argument, unsigned int seconds, enum child_end *end, struct error *err)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot start a process that measures");
	if (pid == 0) {
		prepare_child(seconds);
		function(argument);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_set_errno(err, ERROR_ENVIRONMENT, "cannot wait for a process that measures");
	*end = WIFEXITED(status) ? CHILD_FINISHED : WTERMSIG(status) == SIGALRM ? CHILD_TOO_LONG : CHILD_KILLED;
	return true;
}
