/* Has a handler for SIGTRAP, like Go's runtime, and blocks all signals at times: handled ROUNDS [threads]
 *
 * It runs long enough to be translated. With "threads", another thread, which starts before the handler is set, also
 * blocks signals. Exit status 0 if the handler caught each signal that the program sent itself, and is still set.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t n_caught;
static volatile int is_running, has_handler;

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

static unsigned work_blocked(unsigned state)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	state = work(state);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return state;
}

static void *run(void *n_rounds)
{
	unsigned state = 1;

	is_running = 1;
	while (!has_handler)
		state = work(state);
	for (int i = *(int *)n_rounds; i > 0; i--)
		state = work_blocked(state);
	return NULL;
}

int main(int argc, char **argv)
{
	int n_rounds = argc > 1 ? atoi(argv[1]) : 1;
	struct sigaction action = {.sa_handler = on_trap}, now;
	volatile unsigned state = 1;
	bool has_thread = argc > 2;
	pthread_t thread;

	if (has_thread && pthread_create(&thread, NULL, run, &n_rounds) != 0)
		return 2;
	while (has_thread && !is_running)
		state = work(state);
	sigfillset(&action.sa_mask);
	sigaction(SIGTRAP, &action, NULL);
	has_handler = 1;
	for (int i = 0; i < n_rounds; i++) {
		state = work_blocked(state);
		raise(SIGTRAP);
		state = work(state);
	}
	if (has_thread)
		pthread_join(thread, NULL);
	sigaction(SIGTRAP, NULL, &now);
	return n_caught == n_rounds && now.sa_handler == on_trap ? 0 : 1;
}
