/* Compiled as C and as C++. Prints the same with and without markers, traced or not. */
#include <stdio.h>
#include <stdlib.h>

#include "odd_names.h"
#include "shared.h"

static int sum;

static ONCE int first_call(int n)
{
	return inlined(n) + 1;
}

static ONCE int second_call(int n)
{
	return inlined(n) * 2 + inlined(n + 1);
}

/* Markers as statements next to C++'s goto, C's return and a switch. */
static ONCE int branches(int n)
{
	if (n > 100)
		PA_BEGIN("branches");
	else
		PA_BEGIN("branches");
	switch (n) {
	case 1:
		PA_END("branches");
		return 5;
	default:
		break;
	}
	PA_END("branches");
	return n;
}

static ONCE int unrolled(int n)
{
	int i;

	for (i = 0; i < 4; i++) {
		PA_BEGIN("unrolled");
		sum += n * i;
		PA_END("unrolled");
	}
	return sum;
}

#ifdef __cplusplus
static ONCE int throwing(int n)
{
	try {
		PA_BEGIN("throwing");
		if (n > 0)
			throw n;
		PA_END("throwing");
	} catch (int caught) {
		PA_END("throwing");
		return caught;
	}
	return 0;
}
#endif

int main(int argc, char **argv)
{
	(void)argv;
	PA_BEGIN();
	PA_BEGIN(REGION);
	sum += first_call(argc) + second_call(argc);
	PA_END(REGION);
	PA_END();
	ODD_NAMES;
	sum += branches(argc) + unrolled(argc) + second_file(argc);
#ifdef __cplusplus
	{
		counter counted = {argc};
		auto lambda = [](int n) {
			PA_BEGIN("lambda");
			sum += n;
			PA_END("lambda");
		};

		lambda(argc);
		sum += templated(argc) + (int)templated((long)argc) + counted.next() + throwing(argc);
	}
#endif
	printf("%d\n", sum);
	return 0;
}
