/* The other half of the program, or a shared library that it uses. */
#include "shared.h"

static ONCE int third_call(int n)
{
	return inlined(n) - 7;
}

int second_file(int n)
{
	int result = third_call(n);

	PA_BEGIN(REGION);
	result += inlined(n + 2);
	PA_END(REGION);
#ifdef __cplusplus
	counter counted = {n};

	result += templated(n) + (int)templated((long)n) + (int)templated((char)n) + counted.next();
#endif
	return result;
}
