/* Executes enough blocks to fill their log many times. The end of the log raises SIGBUS. The program has its own
 * handler for SIGBUS, which must see only the program's own signal. Prints a sum, the number of calls of the handler,
 * and if it is still set. */
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
