/* Functions to compare counts with Valgrind's callgrind. They have no library calls, no system calls, no REP string
 * instructions and no code that depends on the processor. The program is static and has no libc: _start calls each
 * function once and exits with 0 if the results are right.
 *
 * Built with -fno-tree-loop-distribute-patterns, so that no loop becomes a call to memset or memcpy.
 */
#include <stddef.h>
#include <stdint.h>

#define N_NUMBERS 300

#if __has_attribute(noipa)
#define CALLED_AS_IT_STANDS __attribute__((noipa)) /* gcc: no inlining, no clones */
#else
#define CALLED_AS_IT_STANDS __attribute__((noinline))
#endif

CALLED_AS_IT_STANDS void fill(uint32_t *to, size_t n);
CALLED_AS_IT_STANDS void quicksort(uint32_t *from, ptrdiff_t n);
CALLED_AS_IT_STANDS uint64_t hash(const unsigned char *bytes, size_t n);
CALLED_AS_IT_STANDS int64_t interpret(const int8_t *code);
CALLED_AS_IT_STANDS double horner(const double *coefficients, size_t n, double x);
CALLED_AS_IT_STANDS uint64_t sort_and_hash(void);

/* Valgrind reads symbols only from programs with initialized writable data. */
static uint32_t numbers[N_NUMBERS] = {1};

/* Numerical Recipes' linear congruential generator, which gives one sequence everywhere. */
void fill(uint32_t *to, size_t n)
{
	uint32_t state = to[0];
	for (size_t i = 0; i < n; i++)
		to[i] = state = state * 1664525 + 1013904223;
}

void quicksort(uint32_t *from, ptrdiff_t n)
{
	if (n < 2)
		return;
	uint32_t pivot = from[n / 2];
	ptrdiff_t i = 0, j = n - 1;
	while (i <= j) {
		while (from[i] < pivot)
			i++;
		while (from[j] > pivot)
			j--;
		if (i <= j) {
			uint32_t swapped = from[i];
			from[i++] = from[j];
			from[j--] = swapped;
		}
	}
	quicksort(from, j + 1);
	quicksort(from + i, n - i);
}

/* FNV-1a, 64 bits. */
uint64_t hash(const unsigned char *bytes, size_t n)
{
	uint64_t value = 0xcbf29ce484222325;
	for (size_t i = 0; i < n; i++)
		value = (value ^ bytes[i]) * 0x100000001b3;
	return value;
}

enum operation { PUSH, ADD, OVER, SWAP, DECREMENT, JUMP_IF_NOT_ZERO, HALT };

/* A stack machine. Returns the value below the top of the stack. */
int64_t interpret(const int8_t *code)
{
	int64_t stack[16], *top = stack;
	for (const int8_t *pc = code;;) {
		int64_t swapped;
		switch (*pc++) {
		case PUSH:
			*++top = *pc++;
			break;
		case ADD:
			top--;
			*top += top[1];
			break;
		case OVER:
			top++;
			*top = top[-2];
			break;
		case SWAP:
			swapped = *top;
			*top = top[-1];
			top[-1] = swapped;
			break;
		case DECREMENT:
			--*top;
			break;
		case JUMP_IF_NOT_ZERO:
			pc = *top ? pc + 1 + *pc : pc + 1;
			break;
		case HALT:
			return top[-1];
		}
	}
}

/* 40 + 39 + ... + 1. The next number to add is on top. */
static const int8_t sum_to_40[] = {PUSH, 0, PUSH, 40, SWAP, OVER, ADD, SWAP, DECREMENT, JUMP_IF_NOT_ZERO, -7, HALT};

double horner(const double *coefficients, size_t n, double x)
{
	double value = 0;
	for (size_t i = 0; i < n; i++)
		value = value * x + coefficients[i];
	return value;
}

/* Calls functions that call others. All their instructions count for this one. */
uint64_t sort_and_hash(void)
{
	fill(numbers, N_NUMBERS);
	quicksort(numbers, N_NUMBERS);
	return hash((const unsigned char *)numbers, sizeof(numbers));
}

__attribute__((used)) static int run(void)
{
	static const double coefficients[] = {1, -2, 3, -4, 5};
	uint64_t hashed = sort_and_hash();
	for (size_t i = 1; i < N_NUMBERS; i++)
		if (numbers[i - 1] > numbers[i])
			return 1;
	if (hash((const unsigned char *)numbers, sizeof(numbers)) != hashed)
		return 2;
	if (interpret(sum_to_40) != 820)
		return 3;
	return horner(coefficients, 5, 2) == 9 ? 0 : 4;
}

__asm__(".globl _start\n"
	"_start:\n"
	"\txor %ebp, %ebp\n"
	"\tcall run\n"
	"\tmov %eax, %edi\n"
	"\tmov $231, %eax\n" /* exit_group */
	"\tsyscall\n");
