/* Work for the table of tests/bench/translate_rate.py: steady loop|qsort N. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
	const int32_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static uint64_t loop(uint64_t n)
{
	uint64_t value = 1;

	for (uint64_t i = 0; i < n; i++) {
		value = value * UINT64_C(6364136223846793005) + i;
		value ^= value >> 13;
		if (value & 1)
			value += 3;
	}
	return value;
}

static uint64_t sort(uint64_t n)
{
	int32_t *items = calloc(n, sizeof(*items));
	uint32_t value = 1;
	uint64_t middle;

	for (uint64_t i = 0; i < n; i++)
		items[i] = (int32_t)((value = value * 1664525 + 1013904223) >> 1);
	qsort(items, n, sizeof(*items), compare);
	middle = (uint64_t)items[n / 2];
	free(items);
	return middle;
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;

	if (!n)
		return 2;
	printf("%llu\n", (unsigned long long)(strcmp(argv[1], "loop") == 0 ? loop(n) : sort(n)));
	return 0;
}
