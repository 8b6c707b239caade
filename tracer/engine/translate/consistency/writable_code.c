#include "engine/translate/consistency/writable_code.h"

#include <sys/mman.h>

#include "engine/translate/consistency/native_syscalls.h"
#include "engine/translate/consistency/shared_mapping.h"
#include "engine/translate/consistency/suspend.h"
#include "engine/translate/consistency/write_protect.h"

/* Protects all writable mappings of a page of shared memory. write_protect_page() leaves `mappings` valid. */
static bool protect_mappings(struct translator *translator, struct thread *thread, uint64_t inode, uint64_t offset)
{
	struct pages *pages = &translator->pages;

	for (size_t i = 0; i < pages->mappings.n_mappings; i++) {
		const struct mapping *mapping = &pages->mappings.mappings[i];
		int protection = PROT_READ | PROT_WRITE | (mapping->executable ? PROT_EXEC : 0);
		struct code_page *page;

		if (!mapping_can_write(mapping, inode, offset))
			continue;
		page = pages_get(pages, thread->process, mapping->start_va + (offset - mapping->offset_bytes));
		if (!write_protect_page(translator, thread, page, protection))
			return false;
		page->inode = inode;
		page->offset_bytes = offset;
	}
	return true;
}

/* Returns false if the page is not in shared memory, or if the program or another process could write to it
 * unnoticed. */
static bool watch_shared(struct translator *translator, struct thread *thread, uint64_t page_va)
{
	struct pages *pages = &translator->pages;
	const struct mapping *mapping = pages_mapping(pages, thread->process, page_va);
	uint64_t inode, offset;
	struct code_page *page;

	if (!mapping || !mapping->shared || !mapping->executable || !shared_mapping_is_private(translator, mapping))
		return false;
	inode = mapping->inode;
	offset = mapping->offset_bytes + (page_va - mapping->start_va);
	if (!protect_mappings(translator, thread, inode, offset))
		return false;
	page = pages_get(pages, thread->process, page_va);
	page->inode = inode;
	page->offset_bytes = offset;
	page->is_watched = page->is_changing = true;
	if (!translator->changes.has_shared_code)
		native_syscalls_disable_file_writes(translator);
	translator->changes.has_shared_code = true;
	return true;
}

/* Returns true if the program, and nobody else, can write to the page, and can execute it. */
static bool is_writable_code(struct translator *translator, struct thread *thread, const struct code_page *page)
{
	const struct mapping *mapping = pages_mapping(&translator->pages, thread->process, page->va);
	struct target_regs regs;

	return mapping && mapping->executable && (mapping->writable || page->is_writable) && mapping->readable &&
	       !mapping->shared &&
	       /* A stack is written to all the time. */
	       thread_get_regs(thread, &regs) && regs.rsp - mapping->start_va >= mapping->end_va - mapping->start_va;
}

static void protect_page(struct translator *translator, struct thread *thread, uint64_t va)
{
	struct code_page *page = pages_get(&translator->pages, thread->process, va);
	bool is_ready;

	if (page->is_translatable && !page->is_suspended)
		return;
	is_ready = watch_shared(translator, thread, va & ~(uint64_t)(CODE_PAGE_BYTES - 1));
	page = pages_find(&translator->pages, va);
	if (!is_ready && (page->is_protected || !is_writable_code(translator, thread, page) ||
			  !write_protect_page(translator, thread, page, PROT_READ | PROT_WRITE | PROT_EXEC)))
		return;
	suspend_check_page(translator, thread->process, page);
}

void writable_code_protect(struct translator *translator, struct thread *thread, uint64_t va)
{
	protect_page(translator, thread, va);
	/* An instruction may end in the next page. */
	if (va % CODE_PAGE_BYTES > CODE_PAGE_BYTES - INSN_MAX_BYTES)
		protect_page(translator, thread, va + INSN_MAX_BYTES);
}
