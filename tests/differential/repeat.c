/* Repeats fixed work N times: repeat N. Each repetition executes each instruction equally often, so that the counts
 * of a long run follow from two short ones. Contains branches that mostly go one way, in both directions; loops; a
 * recursion; calls and jumps through pointers; flags that are read twice; returns, calls and jumps that rarely go
 * elsewhere, where flags are read; REP. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { N_ITEMS = 64 };

static uint32_t items[N_ITEMS];
static volatile uint32_t sink, total;

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

/* 15 of 16 times the target is 1, where flags are dead; once it is 2, where flags are live. */
#define CHOOSE_TARGET            \
	"lea 1f(%%rip), %%rax\n" \
	"lea 2f(%%rip), %%rdx\n" \
	"test $15, %%cl\n"       \
	"cmovz %%rdx, %%rax\n"

static uint32_t return_elsewhere(uint32_t value)
{
	uint64_t result;

	__asm__ volatile("lea -128(%%rsp), %%rsp\n" CHOOSE_TARGET "call 3f\n"
			 "1: lea 5(%%rcx), %%rax\n"
			 "jmp 4f\n"
			 "2: setb %%al\n"
			 "movzbl %%al, %%eax\n"
			 "jmp 4f\n"
			 "3: mov %%rax, (%%rsp)\n"
			 "cmp $32, %%rcx\n"
			 "ret\n"
			 "4: lea 128(%%rsp), %%rsp\n"
			 : "=&a"(result)
			 : "c"((uint64_t)value)
			 : "rdx", "memory", "cc");
	return (uint32_t)result;
}

static uint32_t call_elsewhere(uint32_t value)
{
	uint64_t result;

	__asm__ volatile("lea -128(%%rsp), %%rsp\n" CHOOSE_TARGET "cmp $32, %%rcx\n"
			 "call *%%rax\n"
			 "jmp 4f\n"
			 "1: lea 7(%%rcx), %%rax\n"
			 "ret\n"
			 "2: setb %%al\n"
			 "movzbl %%al, %%eax\n"
			 "ret\n"
			 "4: lea 128(%%rsp), %%rsp\n"
			 : "=&a"(result)
			 : "c"((uint64_t)value)
			 : "rdx", "memory", "cc");
	return (uint32_t)result;
}

static uint32_t jump_elsewhere(uint32_t value)
{
	uint64_t result, target;

	__asm__ volatile(CHOOSE_TARGET "mov %%rax, %1\n"
				       "cmp $32, %%rcx\n"
				       "jmp *%1\n"
				       "1: lea 9(%%rcx), %%rax\n"
				       "jmp 4f\n"
				       "2: setb %%al\n"
				       "movzbl %%al, %%eax\n"
				       "4:\n"
			 : "=&a"(result), "=m"(target)
			 : "c"((uint64_t)value)
			 : "rdx", "memory", "cc");
	return (uint32_t)result;
}

static void work(void)
{
	uint32_t sum = 0, odd = 0;
	size_t n = N_ITEMS;
	void *to = items;

	__asm__ volatile("rep stosl" : "+c"(n), "+D"(to) : "a"(9) : "memory");
	for (uint32_t i = 0; i < N_ITEMS; i++) {
		items[i] += functions[i % 4 == 3](i);
		sum += choose(i);
		sum += (uint32_t)order(items[i], 70);
		odd += return_elsewhere(i) + 3 * call_elsewhere(i) + 5 * jump_elsewhere(i);
		if (i != 40)
			sum ^= i;
		else
			sum += descend(7);
		while (sum > 1000)
			sum -= 300;
	}
	sink = sum & 1;
	sink = 0;
	total += odd;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	for (unsigned long i = 0; i < n; i++)
		work();
	_exit((int)(items[5] + total / (uint32_t)n) & 0x7f);
}
