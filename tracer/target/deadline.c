#include "target/deadline.h"

#include <signal.h>
#include <time.h>

static timer_t timer;

bool deadline_create(int signal)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal};

	return timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
}

void deadline_destroy(void)
{
	timer_delete(timer);
}

void deadline_set(uint32_t first_ns, uint32_t period_ns)
{
	const struct itimerspec times = {.it_value.tv_nsec = first_ns, .it_interval.tv_nsec = period_ns};

	timer_settime(timer, 0, &times, NULL);
}
