/* A handler leaves a real fault by siglongjmp, three times, inside one region. The program continues each time.
 *
 * ANSWER
 *   region jumps: visits 1, cut 0, instructions >= 30
 *   stdout 3
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

#include <itrace/markers.h>

static sigjmp_buf target;

static void handle(int signal)
{
	siglongjmp(target, signal);
}

int main(void)
{
	volatile int *null = NULL;
	volatile int faults = 0;

	signal(SIGSEGV, handle);
	PA_BEGIN("jumps");
	if (sigsetjmp(target, 1))
		faults++;
	if (faults < 3)
		*null = 1;
	PA_END("jumps");
	printf("%d\n", faults);
	return 0;
}
