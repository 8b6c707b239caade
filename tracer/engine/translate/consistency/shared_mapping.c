#include "engine/translate/consistency/shared_mapping.h"

#include <string.h>

#include "engine/syscalls.h"
#include "engine/translate/consistency/suspend.h"

#define WHOLE_FILE UINT64_MAX /* in place of an offset */

/* Memory without a name can be mapped only by processes that inherit it or receive its descriptor. */
bool shared_mapping_is_private(const struct translator *translator, const struct mapping *mapping)
{
	const struct engine *engine = translator->engine;
	const char *suffix = " (deleted)";
	size_t length = strlen(mapping->path), suffix_length = strlen(suffix);

	return !translator->changes.has_forked && !engine->is_attached && !engine->process->n_detached &&
	       engine->process == engine->target->process && engine->target->n_processes == 1 && mapping->inode &&
	       length > suffix_length && strcmp(mapping->path + length - suffix_length, suffix) == 0;
}

void shared_mapping_suspend(struct translator *translator, uint64_t inode, uint64_t offset_bytes)
{
	for (size_t i = 0; inode && translator->changes.has_shared_code && i < translator->pages.n_pages; i++) {
		struct code_page *page = &translator->pages.pages[i];

		if (page->is_watched && page->inode == inode &&
		    (page->offset_bytes == offset_bytes || offset_bytes == WHOLE_FILE))
			suspend_page(translator, page);
	}
}

void shared_mapping_on_fork(struct translator *translator)
{
	translator->changes.has_forked = true;
	for (size_t i = 0; translator->changes.has_shared_code && i < translator->pages.n_pages; i++) {
		struct code_page *page = &translator->pages.pages[i];

		if (!page->is_watched)
			continue;
		page->is_watched = false;
		suspend_page(translator, page);
	}
}

void shared_mapping_on_remap(struct translator *translator, uint64_t start_va, uint64_t end_va)
{
	struct pages *pages = &translator->pages;

	if (!translator->changes.has_shared_code)
		return;
	for (size_t i = 0; i < pages->n_pages; i++)
		if (pages_overlaps(&pages->pages[i], start_va, end_va))
			pages->pages[i].is_watched = false;
	pages_forget_mappings(pages);
	pages_read_mappings(pages);
	for (size_t i = 0; i < pages->mappings.n_mappings; i++) {
		const struct mapping *mapping = &pages->mappings.mappings[i];

		if (mapping->shared && mapping->writable && mapping->start_va < end_va && start_va < mapping->end_va)
			shared_mapping_suspend(translator, mapping->inode, WHOLE_FILE);
	}
}

void shared_mapping_after_syscall(struct translator *translator, const struct task *task)
{
	int fd = translator->changes.has_shared_code ? syscalls_written_fd(&task->before) : -1;

	if (fd >= 0)
		shared_mapping_suspend(translator, thread_descriptor_inode(task->thread, fd), WHOLE_FILE);
}
