/* A program that does not end by itself, for tests/processes/ends.py: deaf HOW
 *
 *	run	runs for ever
 *	ignore	runs for ever and ignores SIGINT, SIGTERM, SIGHUP and SIGQUIT
 *	handle	runs for ever and handles them
 *	sleep	sleeps for ever and ignores them
 *	stop	stops itself
 *	family	ignores them in a child as well, which outlives its parent
 *	threads	sixteen threads that ignore them
 *
 * Prints "ready" first.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <itrace/markers.h>

static volatile unsigned long work;

static void handle(int signal)
{
	(void)signal;
}

static void set_handlers(void (*handler)(int))
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], handler);
}

static void *run(void *unused)
{
	for (;;)
		work++;
	return unused;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "run";
	pthread_t thread;

	if (strcmp(how, "run") != 0 && strcmp(how, "stop") != 0)
		set_handlers(strcmp(how, "handle") == 0 ? handle : SIG_IGN);
	puts("ready");
	fflush(stdout);
	PA_BEGIN("for ever");
	if (strcmp(how, "stop") == 0)
		raise(SIGSTOP);
	while (strcmp(how, "sleep") == 0)
		pause();
	if (strcmp(how, "family") == 0 && fork() > 0)
		return 0;
	for (int i = 0; i < 15 && strcmp(how, "threads") == 0; i++)
		pthread_create(&thread, NULL, run, NULL);
	run(NULL);
	PA_END("for ever");
	return 0;
}
