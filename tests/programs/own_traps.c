/* SIGTRAP is a signal like others to the program, although tracing is made of SIGTRAPs.
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
 * A region in a signal handler, once within another region.
 * ANSWER
 *   args in-handler
 *   region tracing: visits 1, cut 0
 *   region handler: visits 2, cut 0, instructions >= 2
 *   stdout before: open, handler none; inside: open, handler none; after: open, handler none; 2 handled
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <itrace/markers.h>

static volatile int caught, handled;

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

int main(int argc, char **argv)
{
	const char *how = argc == 2 ? argv[1] : "";

	signal(SIGUSR1, on_user);
	if (!strcmp(how, "sent") || !strcmp(how, "blocking")) {
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
	else if (!strcmp(how, "in-handler"))
		raise(SIGUSR1);
	look("inside");
	PA_END("tracing");
	look("after");
	if (caught)
		printf("%d caught", caught);
	if (handled)
		printf("%d handled", handled);
	printf("\n");
	return 0;
}
