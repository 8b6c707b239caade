#include <string.h>

#include "base/array.h"
#include "engine/translate/translator.h"

/* Whoever comes to the block leaves for itrace. A store of one byte: each thread executes the old instruction or the INT3. */
static void put_stop(struct translator *translator, struct block *block)
{
	struct zone *zone = cache_find_zone(&translator->cache, block->entry_va);
	uint8_t *entry = &zone->bytes[block->entry_va - zone->va];

	block->entry_byte = *entry;
	add_exit(translator, block->entry_va,
		 (struct exit){.kind = EXIT_LINK,
			       .va = block->va,
			       .r11_is_away = !r11_is_home_at(translator, block->va, false)});
	__atomic_store_n(entry, 0xcc, __ATOMIC_RELEASE);
}

/* The exit stays known: a thread may stand behind the INT3 with its stop not reported yet. */
static void remove_stop(struct translator *translator, struct block *block)
{
	struct zone *zone = cache_find_zone(&translator->cache, block->entry_va);

	__atomic_store_n(&zone->bytes[block->entry_va - zone->va], block->entry_byte, __ATOMIC_RELEASE);
}

void retire_block(struct translator *translator, struct block *block)
{
	for (; !block->is_retired; block--) {
		block->is_retired = true;
		if (!block->n_suspended)
			put_stop(translator, block);
		unregister_landings(translator, block->va);
		/* What falls into it would come to the INT3 each time. */
		if (block == translator->blocks || !block[-1].falls_on)
			break;
	}
}

void retire_all(struct translator *translator)
{
	for (size_t i = 0; i < translator->n_blocks; i++)
		if (translator->blocks[i].n_insns)
			retire_block(translator, &translator->blocks[i]);
	/* What was found out ahead of its execution is doubtful, too. */
	addresses_forget_flags(&translator->addresses);
}

static bool contains(const struct translator *translator, const struct block *block, uint64_t va)
{
	const struct block_insn *insns = &translator->insns[block->first_insn];

	for (size_t i = 0; i < block->n_insns; i++)
		if (va - insns[i].va < insns[i].insn.length)
			return true;
	return false;
}

void retire_at(struct translator *translator, uint64_t va)
{
	const struct code_page *page = pages_find(&translator->pages, va);

	for (size_t i = 0; page && i < page->n_blocks; i++) {
		struct block *block = &translator->blocks[page->blocks[i]];

		if (contains(translator, block, va))
			retire_block(translator, block);
	}
}

void retire_sections(struct translator *translator)
{
	struct rseq_sections *sections = &translator->engine->sections;

	rseq_sections_look(sections, translator->engine->process);
	while (translator->n_sections < sections->n_sections) {
		const struct rseq_section *section = &sections->sections[translator->n_sections++];

		for (uint64_t va = section->start_va; va < section->end_va; va++)
			retire_at(translator, va);
	}
}

/* Blocks are remembered one after the other: if a page knows this one, it is its last. */
static uint64_t remember_page(struct translator *translator, uint32_t index, uint64_t va)
{
	struct code_page *page = pages_find(&translator->pages, va);

	if (!page->n_blocks || page->blocks[page->n_blocks - 1] != index)
		*ARRAY_ADD(page, blocks) = index;
	return page->va;
}

void remember_block(struct translator *translator, uint32_t index)
{
	const struct block *block = &translator->blocks[index];
	const struct block_insn *insns = &translator->insns[block->first_insn];
	uint64_t page_va = UINT64_MAX;

	for (size_t i = 0; i < block->n_insns; i++) {
		uint64_t last_va = insns[i].va + insns[i].insn.length - 1;

		pages_note_translated(&translator->pages, insns[i].va);
		if (insns[i].va - page_va >= CODE_PAGE_BYTES)
			page_va = remember_page(translator, index, insns[i].va);
		if (last_va - page_va >= CODE_PAGE_BYTES)
			page_va = remember_page(translator, index, last_va);
	}
}

void suspend_page(struct translator *translator, struct code_page *page)
{
	translator->has_suspects = true;
	if (page->is_suspect)
		return;
	page->is_suspect = true;
	for (size_t i = 0; i < page->n_blocks; i++) {
		struct block *block = &translator->blocks[page->blocks[i]];

		if (block->n_suspended++ == 0 && !block->is_retired)
			put_stop(translator, block);
	}
}

/* Whether the part of the block that lies in the page is as the page's bytes are. */
static bool is_same(const struct translator *translator, const struct block *block, const struct code_page *page)
{
	for (size_t i = 0; i < block->n_insns; i++) {
		const struct block_insn *insn = &translator->insns[block->first_insn + i];

		for (size_t j = 0; j < insn->insn.length; j++)
			if (insn->va + j - page->va < CODE_PAGE_BYTES &&
			    page->bytes[insn->va + j - page->va] != insn->insn.bytes[j])
				return false;
	}
	return true;
}

/* The page may be entered again, but for what is no longer the same. */
static void resume_page(struct translator *translator, struct code_page *page)
{
	size_t n_kept = 0;

	page->is_suspect = false;
	for (size_t i = 0; i < page->n_blocks; i++) {
		struct block *block = &translator->blocks[page->blocks[i]];

		if (!is_same(translator, block, page))
			retire_block(translator, block);
		if (--block->n_suspended == 0 && !block->is_retired)
			remove_stop(translator, block);
		if (!block->is_retired)
			page->blocks[n_kept++] = page->blocks[i];
	}
	page->n_blocks = n_kept;
}

void check_page(struct translator *translator, const struct process *process, struct code_page *page)
{
	uint8_t bytes[CODE_PAGE_BYTES];

	if (!pages_read(&translator->pages, process, page, bytes)) {
		/* Nothing is lost if code is to come there. */
		if (!page->is_translatable)
			page->is_suspect = false;
		return;
	}
	if (page->is_translatable && !page->is_changing && memcmp(bytes, page->bytes, sizeof(bytes)) != 0) {
		/* Blocks elsewhere may rely on what was to be executed here later. */
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

	pages->knows_mappings = false;
	if (end_va <= start_va)
		return;
	if ((end_va - start_va) / CODE_PAGE_BYTES > pages->n_pages) {
		for (size_t i = 0; i < pages->n_pages; i++)
			if (pages->pages[i].va < end_va && start_va < pages->pages[i].va + CODE_PAGE_BYTES)
				suspend_page(translator, &pages->pages[i]);
		return;
	}
	for (uint64_t va = start_va & ~(uint64_t)(CODE_PAGE_BYTES - 1); va < end_va; va += CODE_PAGE_BYTES) {
		struct code_page *page = pages_find(pages, va);

		if (page)
			suspend_page(translator, page);
	}
}

void check_pages(struct translator *translator, const struct process *process)
{
	if (!translator->has_suspects)
		return;
	/* Those that remain are not to be executed before another change of the memory map. */
	translator->has_suspects = false;
	for (size_t i = 0; i < translator->pages.n_pages; i++)
		if (translator->pages.pages[i].is_suspect)
			check_page(translator, process, &translator->pages.pages[i]);
}

void verify_pages(struct translator *translator, const struct process *process)
{
	uint8_t bytes[CODE_PAGE_BYTES];

	translator->pages.knows_mappings = false;
	for (size_t i = 0; i < translator->pages.n_pages; i++) {
		struct code_page *page = &translator->pages.pages[i];

		if (pages_read(&translator->pages, process, page, bytes) != page->is_translatable ||
		    (page->is_translatable && memcmp(bytes, page->bytes, sizeof(bytes)) != 0))
			suspend_page(translator, page);
	}
	check_pages(translator, process);
}
