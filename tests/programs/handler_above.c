/* A signal handler whose stack lies above the thread's enters the region that it interrupts. The visit continues.
 *
 * ANSWER
 *   region outer: visits 1, left 0, cut 0, unmatched 0, instructions >= 3000
 *   handlers outer: instructions >= 3
 *   stdout 1 handled
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include <itrace/markers.h>

enum { STACK_BYTES = 65536 };

static volatile int handled;
static volatile int work;
static char *signal_stack;

static __attribute__((noinline)) void pass_region(void)
{
	PA_BEGIN("outer");
	handled++;
	PA_END("outer");
}

static void on_signal(int signal)
{
	(void)signal;
	pass_region();
}

static void *run(void *unused)
{
	const stack_t stack = {.ss_sp = signal_stack, .ss_size = STACK_BYTES};

	sigaltstack(&stack, NULL);
	PA_BEGIN("outer");
	raise(SIGUSR1);
	for (int i = 0; i < 1000; i++)
		work++;
	PA_END("outer");
	return unused;
}

int main(void)
{
	const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	pthread_t thread;

	/* Mapped before the thread's stack, and so above it. */
	signal_stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (signal_stack == MAP_FAILED)
		return 1;
	sigaction(SIGUSR1, &action, NULL);
	if (pthread_create(&thread, NULL, run, NULL))
		return 1;
	pthread_join(thread, NULL);
	printf("%d handled\n", handled);
	return 0;
}
