/* Pages of the program's code as the translator read them. Only pages that the program cannot write to are
 * translated: to change them it must ask the kernel first (suspend.h). Code that it can write to is write-protected
 * first (write_protect.h). */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_PAGES_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_PAGES_H

#include <stdbool.h>

#include "base/va_map.h"
#include "decode/memo.h"
#include "target/target.h"

enum { CODE_PAGE_BYTES = 4096 };

struct code_page {
	uint64_t va;
	bool is_translatable;
	bool is_suspended; /* it may have changed since it was read; not translatable until compared */
	bool is_changing;  /* not of a file, or changed before, as the code of JIT compilers does */
	bool is_writable;  /* for the program, though it may be write-protected by the translator */
	bool is_protected; /* write-protected by the translator */
	bool is_watched;   /* in shared memory of which all writable mappings are write-protected (shared_mapping.h) */
	uint64_t inode,
		offset_bytes; /* of shared memory: set if is_watched, and for protected pages of the same memory */
	uint32_t n_faults, n_refusals; /* of write_protect.c */
	int protection;		       /* that the program gave a protected page */
	bool has_breakpoints;	       /* when process->breakpoints_version was ... */
	uint32_t breakpoints_version;  /* ... this */
	uint32_t *fragments;	       /* [n_fragments] indices of those with code from this page */
	size_t n_fragments, fragments_capacity;
	uint8_t bytes[CODE_PAGE_BYTES];
	uint64_t translated[CODE_PAGE_BYTES / 64]; /* one bit for each byte at which a translated instruction begins */
};

struct pages {
	struct code_page *pages;
	size_t n_pages, pages_capacity;
	struct va_map by_va;
	size_t last; /* found */
	struct mapping_list mappings;
	bool knows_mappings;   /* `mappings` is up to date */
	bool is_volatile;      /* other threads can change the memory map at any time */
	uint64_t n_translated; /* instructions, each address of a process once */
	struct insn_memo memo;
};

void pages_deinit(struct pages *pages);
void pages_clear(struct pages *pages);

/* Forgets the fragments of all pages. */
void pages_drop_fragments(struct pages *pages);

/* As pages_find, when the page is not the one found last. */
struct code_page *pages_find_other(struct pages *pages, uint64_t page_va);

/* The page that holds va, or NULL if it was not read yet. Valid until another one is read. */
static inline struct code_page *pages_find(struct pages *pages, uint64_t va)
{
	uint64_t page_va = va & ~(uint64_t)(CODE_PAGE_BYTES - 1);

	if (pages->last < pages->n_pages && pages->pages[pages->last].va == page_va)
		return &pages->pages[pages->last];
	return pages_find_other(pages, page_va);
}

/* The page that holds va, read now if needed. */
struct code_page *pages_get(struct pages *pages, const struct process *process, uint64_t va);

static inline bool pages_overlaps(const struct code_page *page, uint64_t start_va, uint64_t end_va)
{
	return page->va < end_va && start_va < page->va + CODE_PAGE_BYTES;
}

/* Reads the bytes that a page has now. False when its code cannot be translated. */
bool pages_read(struct pages *pages, const struct process *process, const struct code_page *page,
		uint8_t bytes[CODE_PAGE_BYTES]);

/* True when this mapping allows writes to that page of shared memory. */
static inline bool mapping_can_write(const struct mapping *mapping, uint64_t inode, uint64_t offset_bytes)
{
	return mapping->shared && mapping->writable && mapping->inode == inode &&
	       offset_bytes - mapping->offset_bytes < mapping->end_va - mapping->start_va;
}

/* The mapping at va as of now, or NULL. */
const struct mapping *pages_mapping(struct pages *pages, const struct process *process, uint64_t va);

/* Notes that the instruction at va, on a page that was read, is translated. */
void pages_note_translated(struct pages *pages, uint64_t va);
bool pages_was_translated(struct pages *pages, uint64_t va);

/* The instruction at va, to be translated. NULL when it cannot be: its page may change, it is under a breakpoint, or
 * it is invalid. Valid until another one is read. */
const struct insn_known *pages_read_insn(struct pages *pages, const struct process *process, uint64_t va);

/* As pages_read_insn, even under a breakpoint. */
const struct insn_known *pages_decode(struct pages *pages, const struct process *process, uint64_t va);

/* As pages_read_insn, for analysis of code that will execute later. NULL also where code is likely to change before. */
const struct insn_known *pages_peek_insn(struct pages *pages, const struct process *process, uint64_t va);

#endif
