/* Growable arrays, and allocation that cannot fail.
 *
 * An array is three members of the struct that holds it: `T *items; size_t n_items; size_t items_capacity;`, all zero
 * when empty. If memory runs out, these functions print a line and end the process at once with itrace's exit status
 * for failures. A program that itrace launched dies with itrace. free() releases everything except tables.
 */
#ifndef ITRACE_BASE_ARRAY_H
#define ITRACE_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *xcalloc(size_t n, size_t size);
void *xrealloc_array(void *items, size_t n, size_t size);
char *xstrdup(const char *text);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Allocates zeroed memory for a table; if it is large, aligned to a page and on huge pages if the system has them.
 * table_destroy() releases it. `table` may be NULL. */
void *table_create(size_t n_bytes);
void table_destroy(void *table, size_t n_bytes);

/* Grows to hold at least `need` items of `size` bytes, and zeroes the new room. Returns the items, which may have
 * moved. */
void *array_reserve(void *items, size_t *capacity, size_t need, size_t size);

/* Like array_reserve, but does not zero the new room. */
void *array_grow(void *items, size_t *capacity, size_t need, size_t size);

/* Appends one zeroed item to owner->items and yields a pointer to it. */
#define ARRAY_ADD(owner, items)                                                                                    \
	((owner)->items = (owner)->n_##items < (owner)->items##_capacity                                           \
				  ? (owner)->items                                                                 \
				  : array_grow((owner)->items, &(owner)->items##_capacity, (owner)->n_##items + 1, \
					       sizeof(*(owner)->items)),                                           \
	 memset(&(owner)->items[(owner)->n_##items], 0, sizeof(*(owner)->items)),                                  \
	 &(owner)->items[(owner)->n_##items++])

/* Binary search in n sorted items: yields the index of the first item for which `is_before` is false; n if there is
 * none. `is_before` is an expression of the index `i`. */
#define ARRAY_SEARCH(n, i, is_before)                         \
	({                                                    \
		size_t low_ = 0, high_ = (n);                 \
                                                              \
		while (low_ < high_) {                        \
			size_t i = low_ + (high_ - low_) / 2; \
                                                              \
			if (is_before)                        \
				low_ = i + 1;                 \
			else                                  \
				high_ = i;                    \
		}                                             \
		low_;                                         \
	})

#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))

#endif
