/* Pages of the program's code, as the translator read them. The translator reads only pages that the program cannot
 * change without a system call (suspend.h). It write-protects writable code first (write_protect.h). */
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
	bool is_suspended; /* may have changed since it was read; not translatable until it is compared */
	bool is_changing;  /* not from a file, or changed before, as the code of JIT compilers is */
	bool is_writable;  /* the program may write to it, though the translator may have write-protected it */
	bool is_protected; /* write-protected by the translator */
	bool is_checked;   /* written to often, or unseen: its fragments compare its bytes (emit/emit_check.h) */
	bool is_watched;   /* in shared memory with all writable mappings write-protected (shared_mapping.h) */
	uint64_t inode, offset_bytes; /* of shared memory; set for watched and other protected pages */
	uint32_t n_faults;	      /* writes to the protected page since the last flush */
	int protection;		      /* protection that the program gave to a protected page */
	bool has_hints;		      /* the code that other processes reached here was translated */
	bool has_breakpoints;	      /* as of breakpoints_version */
	uint32_t breakpoints_version; /* process->breakpoints_version when has_breakpoints was computed */
	uint64_t reached_key;	      /* of engine/reached_code.h; 0: the page is not of a file */
	uint32_t *fragments;	      /* [n_fragments] indices of the fragments with code from this page */
	size_t n_fragments, fragments_capacity;
	uint8_t bytes[CODE_PAGE_BYTES];
	uint64_t translated[CODE_PAGE_BYTES / 64]; /* bit of a byte: a translated instruction begins there */
};

struct pages {
	const struct process *process;
	struct code_page *pages;
	size_t n_pages, pages_capacity;
	struct va_map by_va;
	size_t last;			     /* index of the page found last */
	struct mapping_list mappings, found; /* found: the mapping that pages_mapping() found by itself */
	bool knows_mappings;		     /* `mappings` is up to date */
	size_t n_found;			     /* mappings found so since the last pages_forget_mappings() */
	bool has_changing;		     /* some translatable page is_changing */
	bool is_volatile;		     /* other threads can change the memory map at any time */
	uint64_t n_translated;		     /* instructions translated, each address of a process once */
	struct insn_memo *memo;
};

void pages_deinit(struct pages *pages);
void pages_clear(struct pages *pages);

/* As pages_find, for a page other than the latest one found. */
struct code_page *pages_find_other(struct pages *pages, uint64_t page_va);

/* Returns the page that contains va, or NULL if it was not read yet. Valid until another page is read. */
static inline struct code_page *pages_find(struct pages *pages, uint64_t va)
{
	uint64_t page_va = va & ~(uint64_t)(CODE_PAGE_BYTES - 1);

	if (pages->last < pages->n_pages && pages->pages[pages->last].va == page_va)
		return &pages->pages[pages->last];
	return pages_find_other(pages, page_va);
}

/* Returns the page that contains va. Reads it if needed. */
struct code_page *pages_get(struct pages *pages, uint64_t va);

static inline bool pages_overlaps(const struct code_page *page, uint64_t start_va, uint64_t end_va)
{
	return page->va < end_va && start_va < page->va + CODE_PAGE_BYTES;
}

/* Reads the current bytes of a page. Returns false if its code cannot be translated. */
bool pages_read(struct pages *pages, const struct code_page *page, uint8_t bytes[CODE_PAGE_BYTES]);

/* Returns true if this mapping allows writes to that page of shared memory. */
static inline bool mapping_can_write(const struct mapping *mapping, uint64_t inode, uint64_t offset_bytes)
{
	return mapping->shared && mapping->writable && mapping->inode == inode &&
	       offset_bytes - mapping->offset_bytes < mapping->end_va - mapping->start_va;
}

/* The program's memory map may have changed. */
static inline void pages_forget_mappings(struct pages *pages)
{
	pages->knows_mappings = false;
	pages->n_found = 0;
}

/* Makes pages->mappings up to date, if possible. */
void pages_read_mappings(struct pages *pages);

/* Returns the current mapping at va, or NULL. Valid until the next call. If the mapping is shared, pages->mappings is
 * up to date. */
const struct mapping *pages_mapping(struct pages *pages, uint64_t va);

/* Notes that the instruction at va is translated. Its page was read before. */
void pages_note_translated(struct pages *pages, uint64_t va);
bool pages_was_translated(struct pages *pages, uint64_t va);

/* Returns the instruction at va, for translation. Returns NULL if the page may change, or the instruction is invalid
 * or under a breakpoint. Valid until another instruction is read. */
const struct insn_known *pages_read_insn(struct pages *pages, uint64_t va);

/* As pages_read_insn, even under a breakpoint. */
const struct insn_known *pages_decode(struct pages *pages, uint64_t va);

/* As pages_read_insn, for analysis of code that will execute later. Also returns NULL if the code is likely to change
 * before that. */
const struct insn_known *pages_peek_insn(struct pages *pages, uint64_t va);

#endif
