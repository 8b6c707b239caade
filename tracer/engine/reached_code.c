#include "engine/reached_code.h"

#include <stdlib.h>

#include "base/array.h"

enum { STARTS_MAX = 1 << 21 }; /* 4 MB */

void reached_code_deinit(struct reached_code *reached)
{
	for (size_t i = 0; i < reached->n_pages; i++)
		free(reached->pages[i].starts);
	free(reached->pages);
	va_map_deinit(&reached->index);
	*reached = (struct reached_code){0};
}

void reached_code_add(struct reached_code *reached, uint64_t page_key, struct reached_start start)
{
	uint32_t index = va_map_get(&reached->index, page_key);
	struct reached_page *page;

	if (reached->n_starts == STARTS_MAX)
		return;
	if (index == VA_MAP_NONE) {
		index = (uint32_t)reached->n_pages;
		*ARRAY_ADD(reached, pages) = (struct reached_page){0};
		va_map_set(&reached->index, page_key, index);
	}
	page = &reached->pages[index];
	for (size_t i = 0; i < page->n_starts; i++)
		if (page->starts[i].offset == start.offset && page->starts[i].way == start.way)
			return;
	*ARRAY_ADD(page, starts) = start;
	reached->n_starts++;
}

const struct reached_page *reached_code_find(const struct reached_code *reached, uint64_t page_key)
{
	uint32_t index = va_map_get(&reached->index, page_key);

	return index == VA_MAP_NONE ? NULL : &reached->pages[index];
}
