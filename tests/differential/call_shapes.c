/* Calls and returns in many ways, to compare call trees with those of other tools. The code of libc is not compared. */
#include <setjmp.h>
#include <stdint.h>

typedef uint32_t step(uint32_t value);

static volatile uint32_t sink;
static jmp_buf way_out;

static uint32_t leaf(uint32_t value)
{
	for (uint32_t i = 0; i < value % 7; i++)
		value = value * 31 + i;
	return value;
}

static uint32_t other_leaf(uint32_t value)
{
	return value ^ (value >> 5);
}

static uint32_t twice(uint32_t value)
{
	return leaf(value) + leaf(value + 1);
}

/* Jumps to leaf. */
static uint32_t tail(uint32_t value)
{
	sink += value;
	return leaf(value + 3);
}

/* Jumps to tail, which jumps on. */
static uint32_t long_tail(uint32_t value)
{
	return value & 1 ? tail(value) : other_leaf(value);
}

static uint32_t through_pointer(step *called, uint32_t value)
{
	return called(value) + 1;
}

static uint32_t factorial(uint32_t n)
{
	return n < 2 ? 1 : n * factorial(n - 1) + other_leaf(n);
}

static void leave(uint32_t depth)
{
	if (depth == sink % 1)
		longjmp(way_out, 1);
	if (depth)
		leave(depth - 1);
	sink++;
}

static uint32_t catch_jump(uint32_t depth)
{
	if (setjmp(way_out) == 0)
		leave(depth);
	return other_leaf(depth);
}

__attribute__((noinline)) static void shapes(void)
{
	static step *const steps[] = {leaf, other_leaf, twice, tail, long_tail, factorial};
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 60; i++) {
		sum += twice(i) + tail(i) + long_tail(i);
		sum += through_pointer(steps[i % 6], i % 9);
		if (i % 10 == 0)
			sum += catch_jump(i / 10);
	}
	sink = sum + factorial(12);
}

int main(void)
{
	shapes();
	return 0;
}
