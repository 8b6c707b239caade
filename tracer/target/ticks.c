#include "target/ticks.h"

#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t n_ticks;
static struct sigaction former_action;
static sigset_t former_mask;

static void on_tick(int signal)
{
	(void)signal;
	n_ticks++;
}

void ticks_hasten(uint64_t ns)
{
	const struct itimerval interval = {
		.it_interval.tv_usec = TICK_NS / 1000,
		.it_value.tv_usec =
			(suseconds_t)((ns < TICK_NS ? ns : TICK_NS) / 1000 + 1), /* 0 would disable the timer */
	};

	setitimer(ITIMER_REAL, &interval, NULL);
}

void ticks_start(void)
{
	/* No SA_RESTART, so that a tick ends a wait. */
	const struct sigaction action = {.sa_handler = on_tick};
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigaction(SIGALRM, &action, &former_action);
	sigprocmask(SIG_UNBLOCK, &alarms, &former_mask);
	ticks_hasten(TICK_NS);
}

void ticks_stop(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	sigprocmask(SIG_SETMASK, &former_mask, NULL);
	sigaction(SIGALRM, &former_action, NULL);
}

unsigned ticks_count(void)
{
	return (unsigned)n_ticks;
}
