/* An example of README's: the number of steps from a number to 1, halving even ones and taking 3 n + 1 of odd ones.
 *
 * ANSWER
 *   region collatz: visits 1, cut 0, instructions >= 40000
 */
#include <stdio.h>

#include <itrace/markers.h>

static inline int step(int x)
{
	if (x % 2)
		return 3 * x + 1;
	return x / 2;
}

static int collatz(int x)
{
	int n = 0;

	while (x != 1) {
		x = step(x);
		n++;
	}
	return n;
}

int main(void)
{
	int longest = 0;

	PA_BEGIN("collatz");
	for (int i = 1; i < 200; i++) {
		int n = collatz(i);

		if (n > longest)
			longest = n;
	}
	PA_END("collatz");
	printf("%d\n", longest);
	return 0;
}
