#include "engine/translate/consistency/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "engine/reached_code.h"

#define USER_END UINT64_C(0x7ffffffff000) /* TASK_SIZE_MAX of Linux with four levels of page tables */

void pages_clear(struct pages *pages)
{
	for (size_t i = 0; i < pages->n_pages; i++)
		free(pages->pages[i].fragments);
	va_map_deinit(&pages->by_va);
	pages->n_pages = 0;
	pages->has_changing = false;
	pages_forget_mappings(pages);
}

void pages_deinit(struct pages *pages)
{
	pages_clear(pages);
	free(pages->pages);
	mapping_list_deinit(&pages->mappings);
	mapping_list_deinit(&pages->found);
	*pages = (struct pages){0};
}

struct code_page *pages_find_other(struct pages *pages, uint64_t page_va)
{
	uint32_t i = va_map_get(&pages->by_va, page_va);

	if (i == VA_MAP_NONE)
		return NULL;
	pages->last = i;
	return &pages->pages[i];
}

void pages_read_mappings(struct pages *pages)
{
	struct error ignored = {0};
	struct mapping_list fresh;

	if (pages->knows_mappings || !process_read_mappings(pages->process, &fresh, &ignored))
		return;
	mapping_list_deinit(&pages->mappings);
	pages->mappings = fresh;
	pages->knows_mappings = true;
}

/* Finds one mapping without all others. Returns false if all should be read. */
static bool find_mapping(struct pages *pages, uint64_t va)
{
	/* To read all mappings takes about as long as to find this many. */
	enum { FOUND_MAX = 16 };

	if (pages->n_found == FOUND_MAX)
		return false;
	pages->n_found++;
	mapping_list_deinit(&pages->found);
	return process_read_mapping_at(pages->process, va, &pages->found) &&
	       !(pages->found.n_mappings && pages->found.mappings[0].shared);
}

const struct mapping *pages_mapping(struct pages *pages, uint64_t va)
{
	if (!pages->knows_mappings && find_mapping(pages, va))
		return pages->found.n_mappings ? pages->found.mappings : NULL;
	pages_read_mappings(pages);
	return mapping_find(&pages->mappings, va);
}

/* Returns true if the program can write to a page of shared memory through a mapping that is not write-protected. */
static bool is_exposed(struct pages *pages, const struct mapping *mapping, uint64_t va)
{
	uint64_t offset = mapping->offset_bytes + (va - mapping->start_va);

	for (size_t i = 0; i < pages->mappings.n_mappings; i++) {
		const struct mapping *other = &pages->mappings.mappings[i];
		const struct code_page *other_page;

		if (!mapping_can_write(other, mapping->inode, offset))
			continue;
		other_page = pages_find(pages, other->start_va + (offset - other->offset_bytes));
		if (!other_page || !other_page->is_protected)
			return true;
	}
	return false;
}

bool pages_read(struct pages *pages, const struct code_page *page, uint8_t bytes[CODE_PAGE_BYTES])
{
	const struct mapping *mapping = pages_mapping(pages, page->va);

	return mapping && page->va < USER_END && mapping->executable &&
	       (page->is_checked ||
		((page->is_protected || !(mapping->writable || page->is_writable)) &&
		 (!mapping->shared || (page->is_watched && !is_exposed(pages, mapping, page->va))))) &&
	       process_read(pages->process, page->va, bytes, CODE_PAGE_BYTES) == CODE_PAGE_BYTES;
}

/* Returns 0 if the page at va is not of a file. */
static uint64_t reached_key(const struct mapping *mapping, uint64_t va)
{
	return mapping && mapping->inode && !mapping->writable
		       ? reached_page_key(mapping->inode, mapping->offset_bytes + (va - mapping->start_va))
		       : 0;
}

/* Code in files rarely changes. */
static bool is_of_file(const struct mapping *mapping)
{
	return mapping && !mapping->writable && (mapping->path[0] == '/' || strcmp(mapping->path, "[vdso]") == 0);
}

static void find_breakpoints(struct code_page *page, const struct process *process)
{
	page->breakpoints_version = process->breakpoints_version;
	page->has_breakpoints = false;
	for (size_t i = 0; i < process->n_breakpoints; i++)
		page->has_breakpoints |= process->breakpoints[i].va - page->va < CODE_PAGE_BYTES;
}

static bool has_breakpoint(struct code_page *page, const struct process *process, uint64_t va)
{
	if (page->breakpoints_version != process->breakpoints_version)
		find_breakpoints(page, process);
	return page->has_breakpoints && process_find_breakpoint(process, va);
}

struct code_page *pages_get(struct pages *pages, uint64_t va)
{
	uint64_t page_va = va & ~(uint64_t)(CODE_PAGE_BYTES - 1);
	struct code_page *page = pages_find(pages, va);
	const struct mapping *mapping;

	if (page)
		return page;
	if (pages->is_volatile)
		pages_forget_mappings(pages);
	page = ARRAY_ADD(pages, pages);
	page->va = page_va;
	va_map_set(&pages->by_va, page_va, (uint32_t)(pages->n_pages - 1));
	page->is_translatable = pages_read(pages, page, page->bytes);
	mapping = pages_mapping(pages, page_va);
	page->is_changing = !is_of_file(mapping);
	page->reached_key = page->is_changing ? 0 : reached_key(mapping, page_va);
	pages->has_changing |= page->is_changing && page->is_translatable;
	find_breakpoints(page, pages->process);
	return page;
}

static bool is_readable(const struct code_page *page)
{
	return page->is_translatable && !page->is_suspended;
}

/* Decodes the instruction at va, in a readable page. */
static const struct insn_known *decode(struct pages *pages, const struct code_page *page, uint64_t va)
{
	size_t offset = va % CODE_PAGE_BYTES, n_bytes = CODE_PAGE_BYTES - offset;
	uint8_t bytes[INSN_MAX_BYTES];

	if (n_bytes >= sizeof(bytes))
		return insn_memo_decode(pages->memo, page->bytes + offset, sizeof(bytes));
	memcpy(bytes, page->bytes + offset, n_bytes);
	page = pages_get(pages, va + n_bytes);
	if (is_readable(page)) {
		memcpy(bytes + n_bytes, page->bytes, sizeof(bytes) - n_bytes);
		n_bytes = sizeof(bytes);
	}
	return insn_memo_decode(pages->memo, bytes, n_bytes);
}

const struct insn_known *pages_decode(struct pages *pages, uint64_t va)
{
	const struct code_page *page = pages_get(pages, va);

	return is_readable(page) ? decode(pages, page, va) : NULL;
}

const struct insn_known *pages_read_insn(struct pages *pages, uint64_t va)
{
	struct code_page *page = pages_get(pages, va);

	return is_readable(page) && !has_breakpoint(page, pages->process, va) ? decode(pages, page, va) : NULL;
}

bool pages_was_translated(struct pages *pages, uint64_t va)
{
	const struct code_page *page = pages_find(pages, va);

	return page && page->translated[va % CODE_PAGE_BYTES / 64] >> va % 64 & 1;
}

void pages_note_translated(struct pages *pages, uint64_t va)
{
	uint64_t *word = &pages_find(pages, va)->translated[va % CODE_PAGE_BYTES / 64], bit = UINT64_C(1) << va % 64;

	pages->n_translated += !(*word & bit);
	*word |= bit;
}

const struct insn_known *pages_peek_insn(struct pages *pages, uint64_t va)
{
	return pages_get(pages, va)->is_changing ? NULL : pages_read_insn(pages, va);
}
