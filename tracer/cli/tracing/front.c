#include "cli/tracing/front.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/tracing/signals.h"
#include "target/target.h"

#define EXIT_FAILED 125

static volatile pid_t worker;

static void pass_on(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (signals_to_pass_on(signal, info))
		kill(worker, signal);
}

bool front_waits(int *exit_status)
{
	pid_t front = getpid();
	int wait_status;

	worker = fork();
	if (worker < 0)
		return false;
	if (worker == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		/* It may have ended before it could be told to. */
		if (getppid() != front)
			raise(SIGTERM);
		return false;
	}
	signals_catch_interrupts(pass_on);
	while (!target_await_child(worker, &wait_status))
		;
	if (WIFEXITED(wait_status)) {
		*exit_status = WEXITSTATUS(wait_status);
		return true;
	}
	fprintf(stderr,
		"itrace: its process that traced was killed by SIG%s; threads of the program that were in a region have "
		"mostly died of that, or will at a breakpoint or stop that was left behind\n",
		sigabbrev_np(WTERMSIG(wait_status)));
	*exit_status = EXIT_FAILED;
	return true;
}
