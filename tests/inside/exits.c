/* Ends by exit() inside scopes, after longjmp left a scope and its stack was overwritten. */
#include <stdint.h>

static uint64_t fake_ticks = 1000000;
#define ITRACE_SCOPE_TICKS_() fake_ticks

#include <itrace/scopes.h>

#include <setjmp.h>

static jmp_buf target;

static __attribute__((noinline)) void jump(void)
{
	PA_SCOPE();
	fake_ticks += 100;
	longjmp(target, 1);
}

/* A larger frame than that of jump, without valid scopes. */
static __attribute__((noinline)) void overwrite(int value)
{
	volatile char bytes[4096];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)value;
}

static __attribute__((noinline)) void leave(int depth)
{
	PA_SCOPE();
	fake_ticks += 1000;
	if (depth > 1) {
		leave(depth - 1);
	} else if (depth == 1) {
		PA_SCOPE("inner");
		fake_ticks += 5000;
		exit(0);
	}
}

int main(int argc, char **argv)
{
	(void)argv;
	if (!setjmp(target))
		jump();
	overwrite(argc);
	leave(3);
	return 1;
}
