/* Maps more memory than lies between its libraries and anything else, and prints where it came to lie, which may not depend on what
 * runs it. */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

static void map(size_t n_bytes, int flags)
{
	void *at = mmap(NULL, n_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

	printf("%zu bytes: %p\n", n_bytes, at);
	/* Counts tell, too. */
	for (uintptr_t bits = (uintptr_t)at; bits; bits >>= 1)
		if (bits & 1)
			putchar('1');
	putchar('\n');
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	map(3 << 20, 0);
	map((size_t)1500 << 20, 0);
	map((size_t)4 << 30, 0);
	map((size_t)90 << 20, 0);
	map((size_t)1 << 30, MAP_32BIT);
	return 0;
}
