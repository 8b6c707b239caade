#include "engine/translate/consistency/suspend.h"

#include <string.h>

#include "base/array.h"
#include "engine/translate/build/liveness.h"
#include "engine/translate/link/ibl.h"

static uint8_t *entry_byte(struct translator *translator, const struct fragment *fragment)
{
	return zone_bytes(cache_find_zone(&translator->cache, fragment->entry_va), fragment->entry_va);
}

/* Puts an exit stub in place of the first byte of a fragment. That is a store of one byte: another thread executes
 * either the old instruction or the INT3. */
static void put_stub(struct translator *translator, struct fragment *fragment)
{
	uint8_t *entry = entry_byte(translator, fragment);
	struct exit_stub stub = {.kind = EXIT_LINK,
				 .va = fragment->va,
				 .r11_in_area = !liveness_r11_in_register_at(translator, fragment->va, false)};

	fragment->entry_byte = *entry;
	fragments_add_exit_stub(&translator->fragments, fragment->entry_va, stub);
	__atomic_store_n(entry, 0xcc, __ATOMIC_RELEASE);
}

/* The exit stub stays known: a thread may have executed its INT3 without a report of the stop yet. */
static void remove_stub(struct translator *translator, struct fragment *fragment)
{
	__atomic_store_n(entry_byte(translator, fragment), fragment->entry_byte, __ATOMIC_RELEASE);
}

/* A fragment that falls through into a retired one would reach its INT3 each time. So it is retired, too. */
static void retire_fragment(struct translator *translator, struct fragment *fragment)
{
	for (; !fragment->is_retired; fragment--) {
		fragment->is_retired = true;
		if (!fragment->n_suspended)
			put_stub(translator, fragment);
		ibl_remove_targets(translator, fragment->va);
		if (fragment == translator->fragments.fragments || !fragment[-1].falls_through)
			break;
	}
}

static void retire_all(struct translator *translator)
{
	for (uint32_t i = 0; i < translator->fragments.n_fragments; i++)
		if (translator_fragment(translator, i)->n_insns)
			retire_fragment(translator, translator_fragment(translator, i));
	/* Analyses that looked ahead into this code may now be wrong. */
	addresses_forget_flags(&translator->addresses);
}

static bool contains(const struct translator *translator, const struct fragment *fragment, uint64_t va)
{
	const struct fragment_insn *insns = translator_insns(translator, fragment);

	for (size_t i = 0; i < fragment->n_insns; i++)
		if (va - insns[i].va < insns[i].insn.length)
			return true;
	return false;
}

void retire_at(struct translator *translator, uint64_t va)
{
	const struct code_page *page = pages_find(&translator->pages, va);

	for (size_t i = 0; page && i < page->n_fragments; i++) {
		struct fragment *fragment = translator_fragment(translator, page->fragments[i]);

		if (contains(translator, fragment, va))
			retire_fragment(translator, fragment);
	}
}

void retire_page(struct translator *translator, struct code_page *page)
{
	for (size_t i = 0; i < page->n_fragments; i++)
		retire_fragment(translator, translator_fragment(translator, page->fragments[i]));
}

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
			put_stub(translator, fragment);
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
			remove_stub(translator, fragment);
		if (!fragment->is_retired)
			page->fragments[n_kept++] = page->fragments[i];
	}
	page->n_fragments = n_kept;
}

void suspend_check_page(struct translator *translator, struct code_page *page)
{
	uint8_t bytes[CODE_PAGE_BYTES];

	if (!pages_read(&translator->pages, page, bytes)) {
		/* Nothing was translated from this page. It is read again when code in it is reached. */
		if (!page->is_translatable)
			page->is_suspended = false;
		return;
	}
	if (page->is_translatable && !page->is_changing && memcmp(bytes, page->bytes, sizeof(bytes)) != 0) {
		/* Fragments of other pages may rely on an analysis of this page. */
		page->is_changing = translator->pages.has_changing = true;
		retire_all(translator);
	}
	memcpy(page->bytes, bytes, sizeof(bytes));
	page->is_translatable = true;
	translator->pages.has_changing |= page->is_changing;
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

void suspend_check_pages(struct translator *translator)
{
	if (!translator->changes.has_suspended)
		return;
	/* Pages that stay suspended cannot be executed until the memory map changes again. */
	translator->changes.has_suspended = false;
	for (size_t i = 0; i < translator->pages.n_pages; i++)
		if (translator->pages.pages[i].is_suspended)
			suspend_check_page(translator, &translator->pages.pages[i]);
}

void suspend_verify_pages(struct translator *translator)
{
	uint8_t bytes[CODE_PAGE_BYTES];

	translator->pages.knows_mappings = false;
	for (size_t i = 0; i < translator->pages.n_pages; i++) {
		struct code_page *page = &translator->pages.pages[i];

		if (pages_read(&translator->pages, page, bytes) != page->is_translatable ||
		    (page->is_translatable && memcmp(bytes, page->bytes, sizeof(bytes)) != 0))
			suspend_page(translator, page);
	}
	suspend_check_pages(translator);
}
