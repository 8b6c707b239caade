/* Addresses in files where processes of the run found no translated code. When another process reaches a page with such
 * addresses, itrace translates the code at all of them in one stop instead of many. The addresses are hints: if the
 * file has changed, they only cost time. */
#ifndef ITRACE_ENGINE_REACHED_CODE_H
#define ITRACE_ENGINE_REACHED_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/va_map.h"

enum { REACHED_PAGE_BYTES = 4096 };

/* way: how the address was reached, below 16; the caller defines the values */
struct reached_start {
	uint16_t offset : 12, way : 4; /* offset in the page */
};

struct reached_page {
	struct reached_start *starts; /* [n_starts], each once */
	size_t n_starts, starts_capacity;
};

/* The caller zeroes the struct before the first use. */
struct reached_code {
	struct va_map index; /* page key: index in pages */
	struct reached_page *pages;
	size_t n_pages, pages_capacity;
	size_t n_starts; /* in all pages */
};

void reached_code_deinit(struct reached_code *reached);

/* Returns the key of a page of a file. Pages with the same key share their hints. */
static inline uint64_t reached_page_key(uint64_t inode, uint64_t offset_bytes)
{
	/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
	return inode * UINT64_C(0x9e3779b97f4a7c15) ^ offset_bytes / REACHED_PAGE_BYTES;
}

void reached_code_add(struct reached_code *reached, uint64_t page_key, struct reached_start start);

/* Returns NULL if nothing was reached there. Valid until another address is added. */
const struct reached_page *reached_code_find(const struct reached_code *reached, uint64_t page_key);

#endif
