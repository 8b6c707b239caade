/* Scopes with a clock that the program itself advances, so that every figure is known. Compiled as C and as C++.
 * check-scopes holds the figures. */
#include <stdint.h>

static uint64_t fake_ticks = 1000000;
#define ITRACE_SCOPE_TICKS_() fake_ticks
#define PA_SCOPE_LONGEST_S 60

#include <itrace/scopes.h>

#include <setjmp.h>

static void leaf(void)
{
	PA_SCOPE();
	fake_ticks += 1000;
}

static void nested(void)
{
	PA_SCOPE();
	fake_ticks += 2000;
	leaf();
	{
		PA_SCOPE("a block, 100% \"quoted\"");
		fake_ticks += 4000;
		leaf();
	}
	leaf();
}

/* The outermost call takes 3 * 1000, the next 2 * 1000, the last 1000. */
static void recursive(int n)
{
	PA_SCOPE();
	fake_ticks += 1000;
	if (n > 1)
		recursive(n - 1);
}

static void even(int n);

static void odd(int n)
{
	PA_SCOPE();
	fake_ticks += 1000;
	if (n > 0)
		even(n - 1);
}

static void even(int n)
{
	PA_SCOPE();
	fake_ticks += 10000;
	if (n > 0)
		odd(n - 1);
}

static int leaves(int how)
{
	int i;

	for (i = 0; i < 4; i++) {
		PA_SCOPE("left in many ways");
		fake_ticks += 1000;
		if (how == i)
			return i;
		if (how == i + 10)
			break;
		if (how == i + 20)
			continue;
		if (how == i + 30)
			goto out;
	}
out:
	return how;
}

static void wrong(void)
{
	{
		PA_SCOPE("clock runs back");
		fake_ticks += 3000;
		leaf();
		fake_ticks -= 10000;
	}
	{
		PA_SCOPE("too long");
		fake_ticks += (uint64_t)1 << 45;
	}
	for (int i = 0; i < 2; i++) {
		PA_SCOPE("sometimes");
		fake_ticks += i ? 7000 : (uint64_t)1 << 45;
	}
}

static void around_wrong(void)
{
	PA_SCOPE();
	fake_ticks += 20000;
	{
		PA_SCOPE("wrong inside");
		leaf();
		fake_ticks -= 11000;
	}
	fake_ticks += 10000;
}

/* clang-format off */
static void one_line(void) { PA_SCOPE(); fake_ticks += 1000; { PA_SCOPE("same line"); fake_ticks += 1000; } }
/* clang-format on */

static jmp_buf target;

static void jumps(void)
{
	PA_SCOPE();
	fake_ticks += 1000;
	longjmp(target, 1);
}

static void jumped_over(void)
{
	PA_SCOPE();
	if (!setjmp(target))
		jumps();
	fake_ticks += 1000;
}

#ifdef __cplusplus
static void throws()
{
	PA_SCOPE();
	fake_ticks += 1000;
	throw 1;
}

template <typename T> static void templated(T)
{
	PA_SCOPE();
	fake_ticks += 1000;
}

struct member {
	member()
	{
		PA_SCOPE("constructor");
		fake_ticks += 1000;
	}
	void operator()()
	{
		PA_SCOPE();
		fake_ticks += 1000;
	}
};
#endif

int main(void)
{
	int i;

	for (i = 0; i < 10; i++)
		nested();
	recursive(3);
	odd(3);
	for (i = 0; i < 40; i++)
		leaves(i);
	one_line();
	wrong();
	around_wrong();
	for (i = 0; i < 3; i++)
		jumped_over();
#ifdef __cplusplus
	for (i = 0; i < 3; i++) {
		try {
			throws();
		} catch (int) {
			fake_ticks += 5000;
		}
		templated(1);
		templated('c');
		member()();
		[]() {
			PA_SCOPE("lambda");
			fake_ticks += 1000;
		}();
	}
#endif
	return 0;
}
