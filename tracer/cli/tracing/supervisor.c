#include "cli/tracing/supervisor.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/tracing/signals.h"
#include "target/target.h"

static volatile pid_t tracer;

static void pass_on(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (signals_to_pass_on(signal, info))
		kill(tracer, signal);
}

bool supervisor_fork(int *exit_status)
{
	pid_t supervisor = getpid();
	int wait_status;

	tracer = fork();
	if (tracer < 0)
		return false;
	if (tracer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		/* The supervisor may have died before the call. */
		if (getppid() != supervisor)
			raise(SIGTERM);
		return false;
	}
	signals_catch(pass_on);
	while (!target_await_child(tracer, &wait_status))
		;
	if (WIFEXITED(wait_status)) {
		*exit_status = WEXITSTATUS(wait_status);
		return true;
	}
	fprintf(stderr,
		"itrace: the tracing process was killed by SIG%s; threads of the program that were in a region may "
		"crash at a breakpoint that was left behind\n",
		sigabbrev_np(WTERMSIG(wait_status)));
	*exit_status = EXIT_FAILED;
	return true;
}
