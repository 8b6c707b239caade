/* Lines that execute a known number of times, for a comparison with gcov: loops, branches of all kinds, recursion,
 * switch, goto. A
 * line has one statement. */
#include <stdio.h>
#include <string.h>

#define N 40

static int numbers[N];

static void fill(unsigned state)
{
	int i = 0;

	while (i < N) {
		state = state * 1664525u + 1013904223u;
		numbers[i] = (int)(state >> 16) % 100;
		i++;
	}
}

static void insertion_sort(void)
{
	int i = 1;

	while (i < N) {
		int moved = numbers[i];
		int j = i;

		while (j > 0) {
			if (numbers[j - 1] <= moved)
				break;
			numbers[j] = numbers[j - 1];
			j--;
		}
		numbers[j] = moved;
		i++;
	}
}

static int fibonacci(int n)
{
	if (n < 2)
		return n;
	return fibonacci(n - 1) + fibonacci(n - 2);
}

static int classify(int n)
{
	switch (n % 5) {
	case 0:
		return 1;
	case 1:
	case 2:
		return 20;
	default:
		break;
	}
	return 300;
}

static int count_words(const char *text)
{
	int n = 0;

again:
	while (*text == ' ')
		text++;
	if (!*text)
		return n;
	n++;
	while (*text && *text != ' ')
		text++;
	goto again;
}

static int sieve(void)
{
	char is_composite[200];
	int n_primes = 0;

	memset(is_composite, 0, sizeof(is_composite));
	for (int i = 2; i < 200; i++) {
		if (is_composite[i])
			continue;
		n_primes++;
		for (int k = 2 * i; k < 200; k += i)
			is_composite[k] = 1;
	}
	return n_primes;
}

static int work(void)
{
	int sum = 0;
	int i = 0;

	fill(1);
	insertion_sort();
	sum += fibonacci(12);
	do {
		sum += classify(numbers[i]);
		i++;
	} while (i < N);
	sum += count_words("  the quick   brown fox jumps ");
	sum += sieve();
	return sum;
}

int main(void)
{
	printf("%d\n", work());
	return 0;
}
