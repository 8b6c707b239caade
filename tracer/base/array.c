#include "base/array.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

static void *require(void *memory)
{
	if (!memory) {
		fputs("itrace: out of memory (a limit such as ulimit -v?)\n", stderr);
		_exit(error_exit_status(&(struct error){.kind = ERROR_ENVIRONMENT}));
	}
	return memory;
}

void *xcalloc(size_t n, size_t size)
{
	return require(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc_array(void *items, size_t n, size_t size)
{
	return require(reallocarray(items, n ? n : 1, size ? size : 1));
}

/* Smaller tables come from the heap: a mapping costs some microseconds, and huge pages do not help. */
enum { MAPPED_TABLE_BYTES = 1 << 20 };

void *table_create(size_t n_bytes)
{
	void *table;

	if (n_bytes < MAPPED_TABLE_BYTES)
		return xcalloc(1, n_bytes);
	table = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	require(table == MAP_FAILED ? NULL : table);
	madvise(table, n_bytes, MADV_HUGEPAGE);
	return table;
}

void table_destroy(void *table, size_t n_bytes)
{
	if (n_bytes < MAPPED_TABLE_BYTES)
		free(table);
	else
		munmap(table, n_bytes);
}

char *xstrdup(const char *text)
{
	return require(strdup(text));
}

char *xasprintf(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return require(text);
}

void *array_grow(void *items, size_t *capacity, size_t need, size_t size)
{
	size_t grown = *capacity ? *capacity : 8;

	if (need <= *capacity)
		return items;
	while (grown < need) {
		if (grown > SIZE_MAX / 2)
			require(NULL);
		grown *= 2;
	}
	*capacity = grown;
	return xrealloc_array(items, grown, size);
}

void *array_reserve(void *items, size_t *capacity, size_t need, size_t size)
{
	size_t former = *capacity;

	items = array_grow(items, capacity, need, size);
	if (former < *capacity)
		memset((char *)items + former * size, 0, (*capacity - former) * size);
	return items;
}
