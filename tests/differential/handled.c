/* A program with a handler for SIGTRAP, as Go's runtime has one, that blocks all signals at times: handled ROUNDS
 *
 * Long enough that it must be translated, not stepped. Exit status 0 if each signal that it sent itself was caught, and the handler is
 * still its own. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t n_caught;

static void on_trap(int signal)
{
	(void)signal;
	n_caught++;
}

static unsigned work(unsigned state)
{
	for (int i = 0; i < 100000; i++)
		state = state * 1664525u + 1013904223u;
	return state;
}

int main(int argc, char **argv)
{
	int n_rounds = argc > 1 ? atoi(argv[1]) : 1;
	struct sigaction action = {.sa_handler = on_trap}, now;
	volatile unsigned state = 1;
	sigset_t all, before;

	sigfillset(&all);
	action.sa_mask = all;
	sigaction(SIGTRAP, &action, NULL);
	for (int i = 0; i < n_rounds; i++) {
		sigprocmask(SIG_BLOCK, &all, &before);
		state = work(state);
		sigprocmask(SIG_SETMASK, &before, NULL);
		raise(SIGTRAP);
		state = work(state);
	}
	sigaction(SIGTRAP, NULL, &now);
	return n_caught == n_rounds && now.sa_handler == on_trap ? 0 : 1;
}
