/* The same work N times: repeat N. Each time the same instructions are executed equally often, so that counts of a long run follow from those of
 * two short ones. Branches that mostly go one way, either one; loops; a recursion; calls and jumps through pointers; flags that are looked
 * at twice; REP.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { N_ITEMS = 64 };

static uint32_t items[N_ITEMS];
static volatile uint32_t sink;

__attribute__((noinline)) static uint32_t add_one(uint32_t value)
{
	return value + 1;
}

__attribute__((noinline)) static uint32_t twice(uint32_t value)
{
	if (__builtin_expect(value % 16 == 15, 0))
		return add_one(value) * 3;
	return value * 2;
}

static uint32_t (*volatile functions[2])(uint32_t) = {add_one, twice};

__attribute__((noinline)) static uint32_t descend(uint32_t depth)
{
	return depth < 2 ? depth : descend(depth - 1) + descend(depth - 2);
}

__attribute__((noinline)) static uint32_t choose(uint32_t value)
{
	switch (value % 8) {
	case 0:
		return value + 3;
	case 1:
		return value ^ 5;
	case 2:
		return value * 7;
	case 3:
		return value - sink;
	case 4:
		return value << 2;
	case 5:
		return descend(5);
	default:
		return add_one(value);
	}
}

__attribute__((noinline)) static int order(uint32_t left, uint32_t right)
{
	if (left < right)
		return -1;
	return left > right;
}

static void work(void)
{
	uint32_t sum = 0;
	size_t n = N_ITEMS;
	void *to = items;

	__asm__ volatile("rep stosl" : "+c"(n), "+D"(to) : "a"(9) : "memory");
	for (uint32_t i = 0; i < N_ITEMS; i++) {
		items[i] += functions[i % 4 == 3](i);
		sum += choose(i);
		sum += (uint32_t)order(items[i], 70);
		if (i != 40)
			sum ^= i;
		else
			sum += descend(7);
		while (sum > 1000)
			sum -= 300;
	}
	sink = sum & 1;
	sink = 0;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	for (unsigned long i = 0; i < n; i++)
		work();
	_exit((int)items[5] & 0x7f);
}
