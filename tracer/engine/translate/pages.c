#include "engine/translate/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { DECODED_MAX = 1 << 14 };

struct decoded {
	uint64_t va;
	struct insn insn; /* length 0: none */
	struct insn_effects effects;
};

#define USER_END UINT64_C(0x7ffffffff000)

void pages_clear(struct pages *pages)
{
	va_map_deinit(&pages->by_va);
	pages->n_pages = 0;
	pages->knows_mappings = false;
}

void pages_deinit(struct pages *pages)
{
	pages_clear(pages);
	free(pages->pages);
	free(pages->decoded);
	mapping_list_deinit(&pages->mappings);
	*pages = (struct pages){0};
}

bool pages_know_range(const struct pages *pages, uint64_t start_va, uint64_t end_va)
{
	for (size_t i = 0; i < pages->n_pages; i++)
		if (pages->pages[i].va < end_va && start_va < pages->pages[i].va + CODE_PAGE_BYTES)
			return true;
	return false;
}

static void refresh_mappings(struct pages *pages, const struct process *process)
{
	struct error ignored = {0};
	struct mapping_list fresh;

	if (pages->knows_mappings || !process_read_mappings(process, &fresh, &ignored))
		return;
	mapping_list_deinit(&pages->mappings);
	pages->mappings = fresh;
	pages->knows_mappings = true;
}

/* Reads a page as it is now. False when its code is not to be translated. */
static bool read_page(const struct pages *pages, const struct process *process, uint64_t page_va,
		      uint8_t bytes[CODE_PAGE_BYTES])
{
	const struct mapping *mapping = mapping_find(&pages->mappings, page_va);

	return mapping && page_va < USER_END && mapping->executable && !mapping->writable && !mapping->shared &&
	       process_read(process, page_va, bytes, CODE_PAGE_BYTES) == CODE_PAGE_BYTES;
}

bool pages_verify(struct pages *pages, const struct process *process)
{
	uint8_t bytes[CODE_PAGE_BYTES];

	refresh_mappings(pages, process);
	for (size_t i = 0; i < pages->n_pages; i++)
		if (read_page(pages, process, pages->pages[i].va, bytes) != pages->pages[i].is_translatable ||
		    (pages->pages[i].is_translatable && memcmp(bytes, pages->pages[i].bytes, sizeof(bytes)) != 0))
			return false;
	return true;
}

static const struct code_page *find_page(struct pages *pages, const struct process *process, uint64_t va)
{
	uint64_t page_va = va & ~(uint64_t)(CODE_PAGE_BYTES - 1);
	uint32_t i = va_map_get(&pages->by_va, page_va);
	struct code_page *page;

	if (i != VA_MAP_NONE)
		return &pages->pages[i];
	refresh_mappings(pages, process);
	page = ARRAY_ADD(pages, pages);
	va_map_set(&pages->by_va, page_va, (uint32_t)(pages->n_pages - 1));
	page->va = page_va;
	page->is_translatable = read_page(pages, process, page_va, page->bytes);
	return page;
}

/* Most instructions are looked at several times: for their own sake, and for what is live before them. The same bytes decode to the same
 * again. */
static bool decode(struct pages *pages, uint64_t va, const uint8_t *bytes, size_t n_bytes, struct insn *insn,
		   struct insn_effects *effects)
{
	struct decoded *known;

	if (!pages->decoded)
		pages->decoded = xcalloc(DECODED_MAX, sizeof(*pages->decoded));
	known = &pages->decoded[va % DECODED_MAX];
	if (known->va != va || !known->insn.length || known->insn.length > n_bytes ||
	    memcmp(known->insn.bytes, bytes, known->insn.length) != 0) {
		if (!insn_decode_effects(bytes, n_bytes, insn, effects))
			return false;
		*known = (struct decoded){.va = va, .insn = *insn, .effects = *effects};
	}
	*insn = known->insn;
	*effects = known->effects;
	return true;
}

bool pages_read_insn(struct pages *pages, const struct process *process, uint64_t va, struct insn *insn,
		     struct insn_effects *effects)
{
	const struct code_page *page = find_page(pages, process, va);
	size_t offset = va % CODE_PAGE_BYTES, n_bytes = CODE_PAGE_BYTES - offset;
	uint8_t bytes[INSN_MAX_BYTES];

	if (!page->is_translatable || process_find_breakpoint(process, va))
		return false;
	if (n_bytes >= sizeof(bytes)) {
		memcpy(bytes, page->bytes + offset, sizeof(bytes));
		n_bytes = sizeof(bytes);
	} else {
		memcpy(bytes, page->bytes + offset, n_bytes);
		page = find_page(pages, process, va + n_bytes);
		if (page->is_translatable) {
			memcpy(bytes + n_bytes, page->bytes, sizeof(bytes) - n_bytes);
			n_bytes = sizeof(bytes);
		}
	}
	return decode(pages, va, bytes, n_bytes, insn, effects);
}
