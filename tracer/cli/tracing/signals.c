#include "cli/tracing/signals.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/message.h"
#include "target/deadline.h"

static void catch_signal(int signal, signals_handler *handler)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	struct sigaction former;

	if (sigaction(signal, NULL, &former) == 0 && former.sa_handler != SIG_IGN)
		sigaction(signal, &action, NULL);
}

static void raise_by_default(int signal)
{
	const struct rlimit none = {0};
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal);
}

static const int requests[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};

void signals_catch(signals_handler *handler)
{
	for (size_t i = 0; i < ARRAY_LENGTH(requests); i++)
		catch_signal(requests[i], handler);
}

#define GRACE_NS 500000000  /* from the request until the program is killed */
#define REPORT_NS 400000000 /* from then until itrace dies */
/* After a longer pause, ^C counts as a first request: users often type ^C in programs with a prompt. */
#define REPEATED_WITHIN_S 10
#define SIGNAL_DEADLINE SIGRTMIN

static struct interrupts interrupts;
static struct {
	bool is_launched, has_timer, is_armed;
	int signal;    /* of the last request */
	time_t last_s; /* time of the last request */
} requested;

static void on_request(int signal, siginfo_t *info, void *context)
{
	bool is_typed = signal == SIGINT || signal == SIGQUIT;
	struct timespec now;

	(void)context;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (requested.has_timer && !requested.is_armed &&
	    ((requested.is_launched && !is_typed) ||
	     (interrupts.n_requests && now.tv_sec - requested.last_s <= REPEATED_WITHIN_S))) {
		requested.is_armed = true;
		deadline_set(GRACE_NS, REPORT_NS);
	}
	requested.signal = signal;
	requested.last_s = now.tv_sec;
	interrupts.signal = signals_to_pass_on(signal, info);
	interrupts.n_requests++;
}

static void on_deadline(int signal, siginfo_t *info, void *context)
{
	static const char message[] = "itrace: ended without a report: there was no time left to make one\n";

	(void)signal;
	(void)info;
	(void)context;
	if (!interrupts.must_kill) {
		interrupts.must_kill = true;
		interrupts.n_requests++;
		return;
	}
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(EXIT_FAILED);
	raise_by_default(requested.signal);
}

struct interrupts *signals_catch_interrupts(bool is_launched)
{
	interrupts = (struct interrupts){0};
	requested.is_launched = is_launched;
	requested.is_armed = false;
	requested.has_timer = deadline_create(SIGNAL_DEADLINE);
	sigaction(SIGNAL_DEADLINE, &(struct sigaction){.sa_sigaction = on_deadline, .sa_flags = SA_SIGINFO}, NULL);
	signals_catch(on_request);
	return &interrupts;
}

void signals_release_interrupts(void)
{
	signals_catch(NULL);
	signal(SIGNAL_DEADLINE, SIG_IGN);
	if (requested.has_timer)
		deadline_destroy();
	requested.has_timer = false;
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
	fflush(NULL);
	raise_by_default(signal);
}
