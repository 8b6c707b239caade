/* Comparisons for qsort(). Several keys in a row: `return ORDER(b->count, a->count) ?: strcmp(a->name, b->name);` */
#ifndef ITRACE_BASE_ORDER_H
#define ITRACE_BASE_ORDER_H

#include <stdint.h>

/* Negative, 0 or positive if a is less than, equal to or greater than b. Evaluates both arguments twice. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static inline int order_int64(const void *a, const void *b)
{
	return ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

#endif
