/* The markers of include/itrace/markers.h in C: named, unnamed, nested, inlined at several places, left by longjmp.
 *
 * ANSWER
 *   region outer: visits 1, cut 0, left 0, unmatched 0, instructions >= 100
 *   region inner: visits 10, markers 1, instructions >= 90
 *   region inlined: visits 3, markers 3, instructions >= 3
 *   region unnamed: visits 1, instructions >= 1
 *   region jumped: visits 3, left 2, cut 1, instructions >= 3
 *   stdout 1045 3
 */
#include <setjmp.h>
#include <stdio.h>

#include <itrace/markers.h>

static volatile int sum;

static inline __attribute__((always_inline)) void add(int n)
{
	PA_BEGIN("inlined");
	sum += n;
	PA_END("inlined");
}

static __attribute__((noinline)) void leave(jmp_buf target)
{
	PA_BEGIN("jumped");
	longjmp(target, 1);
}

int main(void)
{
	jmp_buf target;
	volatile int jumps = 0;

	PA_BEGIN("outer");
	for (int i = 0; i < 10; i++) {
		PA_BEGIN("inner");
		for (int j = 0; j < 10; j++)
			sum += i;
		PA_END("inner");
		sum += 49;
	}
	PA_END("outer");
	add(1);
	add(2);
	add(102);
	PA_BEGIN();
	sum += 0;
	PA_END();
	if (setjmp(target) == 0 || ++jumps < 3)
		leave(target);
	printf("%d %d\n", sum, jumps);
	return 0;
}
