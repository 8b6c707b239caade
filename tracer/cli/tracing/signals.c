#include "cli/tracing/signals.h"

#include <stdio.h>
#include <sys/resource.h>

#include "base/array.h"

static void catch_signal(int signal, signals_handler *handler)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	struct sigaction former;

	if (sigaction(signal, NULL, &former) == 0 && former.sa_handler != SIG_IGN)
		sigaction(signal, &action, NULL);
}

void signals_catch_interrupts(signals_handler *handler)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};

	for (size_t i = 0; i < ARRAY_LENGTH(signals); i++)
		catch_signal(signals[i], handler);
}

int signals_to_pass_on(int signal, const siginfo_t *info)
{
	/* The kernel sends ^C and ^\ to the whole foreground group, so the program has them already. */
	return info->si_code == SI_KERNEL ? 0 : signal;
}

static void do_nothing(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
}

void signals_survive(int signal)
{
	catch_signal(signal, do_nothing);
}

void signals_die_of(int signal)
{
	const struct rlimit none = {0};
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	fflush(NULL);
	sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal);
}
