#include "engine/translate/consistency/suspend.h"

#include <string.h>

#include "base/array.h"
#include "engine/translate/consistency/retire.h"

/* Adds a fragment to the page of va. Returns the page's address. */
static uint64_t add_to_page(struct translator *translator, uint32_t index, uint64_t va)
{
	struct code_page *page = pages_find(&translator->pages, va);

	if (!page->n_fragments || page->fragments[page->n_fragments - 1] != index)
		*ARRAY_ADD(page, fragments) = index;
	return page->va;
}

void suspend_add_fragment(struct translator *translator, uint32_t index)
{
	const struct fragment *fragment = translator_fragment(translator, index);
	const struct fragment_insn *insns = translator_insns(translator, fragment);
	uint64_t page_va = UINT64_MAX;

	for (size_t i = 0; i < fragment->n_insns; i++) {
		uint64_t last_va = insns[i].va + insns[i].insn.length - 1;

		pages_note_translated(&translator->pages, insns[i].va);
		if (insns[i].va - page_va >= CODE_PAGE_BYTES)
			page_va = add_to_page(translator, index, insns[i].va);
		if (last_va - page_va >= CODE_PAGE_BYTES)
			page_va = add_to_page(translator, index, last_va);
	}
}

void suspend_page(struct translator *translator, struct code_page *page)
{
	translator->changes.has_suspended = true;
	if (page->is_suspended)
		return;
	page->is_suspended = true;
	for (size_t i = 0; i < page->n_fragments; i++) {
		struct fragment *fragment = translator_fragment(translator, page->fragments[i]);

		if (fragment->n_suspended++ == 0 && !fragment->is_retired)
			retire_put_stub(translator, fragment);
	}
}

/* Returns true if the part of a fragment that lies in the page equals the page's bytes. */
static bool is_same(const struct translator *translator, const struct fragment *fragment, const struct code_page *page)
{
	const struct fragment_insn *insns = translator_insns(translator, fragment);

	for (size_t i = 0; i < fragment->n_insns; i++)
		for (size_t j = 0; j < insns[i].insn.length; j++)
			if (insns[i].va + j - page->va < CODE_PAGE_BYTES &&
			    page->bytes[insns[i].va + j - page->va] != insns[i].insn.bytes[j])
				return false;
	return true;
}

/* Resumes the fragments of the page that are unchanged, and retires the others. */
static void resume_page(struct translator *translator, struct code_page *page)
{
	size_t n_kept = 0;

	page->is_suspended = false;
	for (size_t i = 0; i < page->n_fragments; i++) {
		struct fragment *fragment = translator_fragment(translator, page->fragments[i]);

		if (!is_same(translator, fragment, page))
			retire_fragment(translator, fragment);
		if (--fragment->n_suspended == 0 && !fragment->is_retired)
			retire_remove_stub(translator, fragment);
		if (!fragment->is_retired)
			page->fragments[n_kept++] = page->fragments[i];
	}
	page->n_fragments = n_kept;
}

void suspend_check_page(struct translator *translator, const struct process *process, struct code_page *page)
{
	uint8_t bytes[CODE_PAGE_BYTES];

	if (!pages_read(&translator->pages, process, page, bytes)) {
		/* Nothing was translated from this page. It is read again when code in it is reached. */
		if (!page->is_translatable)
			page->is_suspended = false;
		return;
	}
	if (page->is_translatable && !page->is_changing && memcmp(bytes, page->bytes, sizeof(bytes)) != 0) {
		/* Fragments of other pages may rely on an analysis of this page. */
		page->is_changing = true;
		retire_all(translator);
	}
	memcpy(page->bytes, bytes, sizeof(bytes));
	page->is_translatable = true;
	resume_page(translator, page);
}

void suspend_range(struct translator *translator, uint64_t start_va, uint64_t end_va)
{
	struct pages *pages = &translator->pages;

	if (end_va <= start_va)
		return;
	if ((end_va - start_va) / CODE_PAGE_BYTES > pages->n_pages) {
		for (size_t i = 0; i < pages->n_pages; i++)
			if (pages_overlaps(&pages->pages[i], start_va, end_va))
				suspend_page(translator, &pages->pages[i]);
		return;
	}
	for (uint64_t va = start_va & ~(uint64_t)(CODE_PAGE_BYTES - 1); va < end_va; va += CODE_PAGE_BYTES) {
		struct code_page *page = pages_find(pages, va);

		if (page)
			suspend_page(translator, page);
	}
}

void suspend_check_pages(struct translator *translator, const struct process *process)
{
	if (!translator->changes.has_suspended)
		return;
	/* Pages that stay suspended cannot be executed until the memory map changes again. */
	translator->changes.has_suspended = false;
	for (size_t i = 0; i < translator->pages.n_pages; i++)
		if (translator->pages.pages[i].is_suspended)
			suspend_check_page(translator, process, &translator->pages.pages[i]);
}

void suspend_verify_pages(struct translator *translator, const struct process *process)
{
	uint8_t bytes[CODE_PAGE_BYTES];

	translator->pages.knows_mappings = false;
	for (size_t i = 0; i < translator->pages.n_pages; i++) {
		struct code_page *page = &translator->pages.pages[i];

		if (pages_read(&translator->pages, process, page, bytes) != page->is_translatable ||
		    (page->is_translatable && memcmp(bytes, page->bytes, sizeof(bytes)) != 0))
			suspend_page(translator, page);
	}
	suspend_check_pages(translator, process);
}
