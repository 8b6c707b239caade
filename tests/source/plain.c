/* A function that is inlined twice and a loop; the line that executes most is marked. */
#include <stdio.h>

static inline unsigned mix(unsigned hash, unsigned item)
{
	return (hash ^ item) * 16777619u % 1000003u; /* hottest */
}

static unsigned chain(unsigned n)
{
	unsigned hash = 1;

	for (unsigned i = 0; i < n; i++)
		hash = mix(hash, i);
	return mix(hash, n);
}

int main(void)
{
	printf("%u\n", chain(3000) + chain(1000));
	return 0;
}
