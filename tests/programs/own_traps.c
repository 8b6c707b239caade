/* SIGTRAP is a signal like others to the program, although the tracer uses SIGTRAP itself.
 *
 * One that someone sends reaches the program's handler, in a region, too.
 * ANSWER
 *   args sent
 *   region tracing: visits 1, cut 0
 *   stdout before: open, handler own; inside: open, handler own; after: open, handler own; 2 caught
 *
 * The handler stays where all signals are blocked for a while.
 * ANSWER
 *   args blocking
 *   region tracing: visits 1, cut 0
 *   stdout before: open, handler own; inside: open, handler own; after: open, handler own; 2 caught
 *
 * It stays, too, where calls wait with all signals blocked but those that end the wait: one that is pending, and one
 * that comes later, when another had the call begun anew.
 * ANSWER
 *   args waiting
 *   region tracing: visits 1, cut 0
 *   stdout before: open, handler own; inside: open, handler own; after: open, handler own; 11 caught, 10 masked waits
 *
 * A region in a signal handler, once within another region.
 * ANSWER
 *   args in-handler
 *   region tracing: visits 1, cut 0
 *   region handler: visits 2, cut 0, instructions >= 2
 *   stdout before: open, handler none; inside: open, handler none; after: open, handler none; 2 handled
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <itrace/markers.h>

static volatile int caught, handled, waited;

static void on_trap(int signal)
{
	(void)signal;
	caught++;
}

static void on_user(int signal)
{
	(void)signal;
	PA_BEGIN("handler");
	handled++;
	PA_END("handler");
}

/* The mask of the wait holds in the handler. */
static void on_alarm(int signal)
{
	sigset_t mask;

	(void)signal;
	sigprocmask(SIG_BLOCK, NULL, &mask);
	waited += sigismember(&mask, SIGUSR2) && sigismember(&mask, SIGALRM) && !sigismember(&mask, SIGURG);
}

static void look(const char *when)
{
	struct sigaction action;
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigaction(SIGTRAP, NULL, &action);
	printf("%s: %s, handler %s; ", when, sigismember(&mask, SIGTRAP) ? "blocked" : "open",
	       action.sa_handler == SIG_DFL   ? "none"
	       : action.sa_handler == SIG_IGN ? "ignored"
					      : "own");
}

static void raise_later(void)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	raise(SIGTRAP);
}

enum wait { BY_SIGSUSPEND, BY_PSELECT, BY_PPOLL, BY_EPOLL_PWAIT, BY_EPOLL_PWAIT2, N_STALLS };

static void wait_by(enum wait wait, int epoll, const sigset_t *mask)
{
	enum { EPOLL_PWAIT2 = 441, MASK_BYTES = 8 }; /* asm/unistd_64.h */
	struct epoll_event event;

	errno = 0;
	if (wait == BY_PSELECT)
		pselect(0, NULL, NULL, NULL, NULL, mask);
	else if (wait == BY_PPOLL)
		ppoll(NULL, 0, NULL, mask);
	else if (wait == BY_EPOLL_PWAIT)
		epoll_pwait(epoll, &event, 1, -1, mask);
	else if (wait == BY_EPOLL_PWAIT2)
		syscall(EPOLL_PWAIT2, epoll, &event, 1, NULL, mask, MASK_BYTES);
	if (wait == BY_SIGSUSPEND || errno == ENOSYS)
		sigsuspend(mask);
}

/* SIGURG, without a handler, is ignored. */
static void wait_and_raise(enum wait wait, int epoll, bool is_pending)
{
	const struct itimerval soon = {.it_value.tv_usec = 20000};
	int waited_before = waited;
	sigset_t all, but_some, before;

	sigfillset(&all);
	but_some = all;
	sigdelset(&but_some, SIGALRM);
	sigdelset(&but_some, SIGURG);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (is_pending) {
		raise(SIGALRM);
	} else {
		raise(SIGURG);
		setitimer(ITIMER_REAL, &soon, NULL);
	}
	while (waited == waited_before)
		wait_by(wait, epoll, &but_some);
	sigprocmask(SIG_SETMASK, &before, NULL);
	raise(SIGTRAP);
}

static void wait_by_all(int epoll)
{
	for (enum wait wait = 0; wait < N_STALLS; wait++) {
		wait_and_raise(wait, epoll, true);
		wait_and_raise(wait, epoll, false);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc == 2 ? argv[1] : "";
	int epoll = epoll_create1(0);

	signal(SIGUSR1, on_user);
	signal(SIGALRM, on_alarm);
	if (!strcmp(how, "sent") || !strcmp(how, "blocking") || !strcmp(how, "waiting")) {
		signal(SIGTRAP, on_trap);
		raise(SIGTRAP);
	} else if (!strcmp(how, "in-handler")) {
		raise(SIGUSR1);
	}
	look("before");
	PA_BEGIN("tracing");
	if (!strcmp(how, "sent"))
		raise(SIGTRAP);
	else if (!strcmp(how, "blocking"))
		raise_later();
	else if (!strcmp(how, "waiting"))
		wait_by_all(epoll);
	else if (!strcmp(how, "in-handler"))
		raise(SIGUSR1);
	look("inside");
	PA_END("tracing");
	look("after");
	if (caught)
		printf("%d caught", caught);
	if (waited)
		printf(", %d masked waits", waited);
	if (handled)
		printf("%d handled", handled);
	printf("\n");
	return 0;
}
