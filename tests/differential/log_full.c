/* Executes enough blocks to fill the log of them many times, the end of which raises SIGBUS, and has a handler for SIGBUS of its own, which is
 * to see only the one that the program raises. Prints a sum, how often the handler ran, and whether it is still there. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static sigjmp_buf before;
static volatile int n_handled;

static void handle(int signal)
{
	(void)signal;
	n_handled++;
	siglongjmp(before, 1);
}

static unsigned work(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 1000000; i++)
		sum += i % 7 == 0 ? i : 1;
	return sum;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle}, now;
	unsigned sum;
	char *behind_end;
	FILE *empty = tmpfile();

	sigaction(SIGBUS, &action, NULL);
	sum = work();
	if (!empty)
		return 1;
	behind_end = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(empty), 0);
	if (sigsetjmp(before, 1) == 0)
		sum += (unsigned)*(volatile char *)behind_end;
	sigaction(SIGBUS, NULL, &now);
	printf("%u %d %d\n", sum + work(), n_handled, now.sa_handler == handle);
	return 0;
}
