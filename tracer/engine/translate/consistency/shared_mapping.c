#include "engine/translate/consistency/shared_mapping.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "engine/run.h"
#include "engine/translate/consistency/write_protect.h"

/* Memory that has no name any more, or never had, is known to those who inherit it, and to those who are given a descriptor. */
static bool is_private_memory(const struct translator *translator, const struct mapping *mapping)
{
	const struct engine *engine = translator->engine;
	const char *suffix = " (deleted)";
	size_t length = strlen(mapping->path), suffix_length = strlen(suffix);

	return !translator->has_forked && !engine->is_attached && !engine->process->n_detached &&
	       engine->process == engine->target->process && engine->target->n_processes == 1 && mapping->inode &&
	       length > suffix_length && strcmp(mapping->path + length - suffix_length, suffix) == 0;
}

bool alias_watch(struct translator *translator, struct thread *thread, uint64_t va)
{
	struct pages *pages = &translator->pages;
	uint64_t page_va = va & ~(uint64_t)(CODE_PAGE_BYTES - 1), inode, offset;
	const struct mapping *mapping = pages_mapping(pages, thread->process, page_va);
	struct code_page *page;

	if (!mapping || !mapping->shared || !mapping->executable || !is_private_memory(translator, mapping))
		return false;
	inode = mapping->inode;
	offset = mapping->offset_bytes + (page_va - mapping->start_va);
	/* A guard does not make the map be read again. */
	for (size_t i = 0; i < pages->mappings.n_mappings; i++) {
		const struct mapping *other = &pages->mappings.mappings[i];
		int protection = PROT_READ | PROT_WRITE | (other->executable ? PROT_EXEC : 0);
		struct code_page *alias;

		if (!mapping_is_alias(other, inode, offset))
			continue;
		alias = pages_look_at(pages, thread->process, other->start_va + (offset - other->offset_bytes));
		if (!guard_begin(translator, thread, alias, protection))
			return false;
		alias->inode = inode;
		alias->offset_bytes = offset;
	}
	page = pages_look_at(pages, thread->process, page_va);
	page->inode = inode;
	page->offset_bytes = offset;
	page->is_watched = page->is_changing = true;
	if (!translator->has_shared_code)
		step_file_syscalls(translator);
	translator->has_shared_code = true;
	return true;
}

void alias_suspend(struct translator *translator, uint64_t inode, uint64_t offset_bytes)
{
	for (size_t i = 0; inode && i < translator->pages.n_pages; i++) {
		struct code_page *page = &translator->pages.pages[i];

		if (page->is_watched && page->inode == inode && page->offset_bytes == offset_bytes)
			suspend_page(translator, page);
	}
}

void alias_suspend_file(struct translator *translator, uint64_t inode)
{
	for (size_t i = 0; translator->has_shared_code && i < translator->pages.n_pages; i++) {
		struct code_page *page = &translator->pages.pages[i];

		if (page->is_watched && page->inode == inode)
			suspend_page(translator, page);
	}
}

void alias_forget_all(struct translator *translator)
{
	translator->has_forked = true;
	for (size_t i = 0; translator->has_shared_code && i < translator->pages.n_pages; i++) {
		struct code_page *page = &translator->pages.pages[i];

		if (!page->is_watched)
			continue;
		page->is_watched = false;
		suspend_page(translator, page);
	}
}

void alias_heed_mappings(struct translator *translator, uint64_t start_va, uint64_t end_va)
{
	struct pages *pages = &translator->pages;

	if (!translator->has_shared_code)
		return;
	for (size_t i = 0; i < pages->n_pages; i++)
		if (pages->pages[i].va < end_va && start_va < pages->pages[i].va + CODE_PAGE_BYTES)
			pages->pages[i].is_watched = false;
	pages->knows_mappings = false;
	pages_mapping(pages, translator->engine->process, start_va);
	for (size_t i = 0; i < pages->mappings.n_mappings; i++) {
		const struct mapping *mapping = &pages->mappings.mappings[i];

		if (mapping->shared && mapping->writable && mapping->start_va < end_va && start_va < mapping->end_va)
			alias_suspend_file(translator, mapping->inode);
	}
}

void alias_after_syscall(struct translator *translator, const struct task *task)
{
	int fd;

	if (!translator->has_shared_code)
		return;
	switch (task->before.rax) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_pwritev2:
	case SYS_ftruncate:
	case SYS_fallocate:
	case SYS_sendfile:
		fd = (int)task->before.rdi;
		break;
	case SYS_copy_file_range:
	case SYS_splice:
		fd = (int)task->before.rdx;
		break;
	default:
		return;
	}
	alias_suspend_file(translator, thread_descriptor_inode(task->thread, fd));
}
