/* PA_SCOPE under itrace. A scope counts the instructions between its two NOPs, including those of scopes inside it.
 * Without --scopes, scopes are no regions.
 *
 * ANSWER --scopes
 *   region ten: visits 5, instructions 10
 *    10  ADD r32, imm8
 *   region outer: visits 5, instructions >= 30
 *    ...
 *   region beside: visits 5
 *    ...
 *   region recursive: visits 2
 *    ...
 *   region jumped from: visits 3, left 2
 *    ...
 *   region jumped over: visits 3
 *    ...
 *   region PA_BEGIN: visits 1
 *    ...
 *
 * ANSWER --scopes --region ten
 *   region ten: visits 5, instructions 10
 *    10  ADD r32, imm8
 *
 * ANSWER
 *   absent ten
 *   region PA_BEGIN: visits 1
 *    ...
 */
#include <itrace/markers.h>
#include <itrace/scopes.h>

#include <setjmp.h>

static jmp_buf target;

static __attribute__((noinline)) void ten(void)
{
	PA_SCOPE("ten");
	__asm__ __volatile__("add $1, %%eax\n\tadd $1, %%eax" ::: "eax", "cc");
}

static __attribute__((noinline)) void outer(void)
{
	PA_SCOPE("outer");
	ten();
	{
		PA_SCOPE("beside");
		__asm__ __volatile__("");
	}
}

static __attribute__((noinline)) void recursive(int n)
{
	PA_SCOPE("recursive");
	if (n > 1)
		recursive(n - 1);
	if (n > 2)
		recursive(n - 2);
	__asm__ __volatile__("");
}

static __attribute__((noinline)) void jump(int really)
{
	PA_SCOPE("jumped from");
	if (really)
		longjmp(target, 1);
}

static __attribute__((noinline)) void jumped_over(int really)
{
	PA_SCOPE("jumped over");
	if (!setjmp(target))
		jump(really);
}

int main(void)
{
	int i;

	for (i = 0; i < 5; i++)
		outer();
	recursive(3);
	recursive(4);
	for (i = 0; i < 3; i++)
		jumped_over(i < 2);
	PA_BEGIN("PA_BEGIN");
	__asm__ __volatile__("");
	PA_END("PA_BEGIN");
	return 0;
}
