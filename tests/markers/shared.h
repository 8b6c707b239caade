/* Shared by both halves of the test programs. Each marker's number of copies is known: see check-markers. */
#ifndef ITRACE_TESTS_MARKERS_SHARED_H
#define ITRACE_TESTS_MARKERS_SHARED_H

#include <itrace/markers.h>

#define REGION "from a macro"

/* Exactly one copy of the function, and calls of it stay calls. */
#ifdef __clang__
#define ONCE __attribute__((noinline))
#else
#define ONCE __attribute__((noipa))
#endif

/* One copy for each call. */
static inline __attribute__((always_inline)) int inlined(int n)
{
	PA_BEGIN("inlined");
	n = n * 3 + 1;
	PA_END("inlined");
	return n;
}

#ifdef __cplusplus

/* COMDAT: however many files use one, the linked program has one copy for each T. */
template <typename T> ONCE T templated(T n)
{
	PA_BEGIN("templated");
	n = n * n + 1;
	PA_END("templated");
	return n;
}

struct counter {
	int n;
	ONCE int next()
	{
		PA_BEGIN("member");
		n++;
		PA_END("member");
		return n;
	}
};

extern "C" {
#endif

int second_file(int n);

#ifdef __cplusplus
}
#endif

#endif
