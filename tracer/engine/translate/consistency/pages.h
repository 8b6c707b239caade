/* The pages of code that the translator has looked at, as they were then. Only pages that the program cannot write to are
 * translated: whoever wants to change them must ask the kernel first, and then they are forgotten here. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_PAGES_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_PAGES_H

#include <stdbool.h>

#include "decode/memo.h"
#include "base/va_map.h"
#include "target/target.h"

enum { CODE_PAGE_BYTES = 4096 };

struct code_page {
	uint64_t va;
	bool is_translatable;
	bool is_changing; /* it is not of a file, or did change: the like of a JIT's */
	bool is_writable; /* as the program sees it, though it may be guarded */
	bool is_guarded;  /* the program may write to it, but is kept from that: guard.h */
	bool is_watched;  /* code in shared memory, whose writers are all known: alias.h */
	uint64_t inode,
		offset_bytes; /* of shared memory that is_watched, and of guarded pages that are the same memory */
	uint32_t n_faults, n_refusals; /* private to guard.c and alias.c */
	int protection;		       /* that the program gave a guarded page */
	bool is_suspect;	       /* it may have changed since; treated as not translatable */
	bool has_breakpoints;	       /* when those of the process were of this version */
	uint32_t breakpoints_version;
	uint32_t *blocks; /* [n_blocks] what was translated from it, for whoever adds and looks them up */
	size_t n_blocks, blocks_capacity;
	uint8_t bytes[CODE_PAGE_BYTES];
	uint64_t translated[CODE_PAGE_BYTES /
			    64]; /* a bit for each byte that an instruction translated so far begins with */
};

struct pages {
	struct code_page *pages;
	size_t n_pages, pages_capacity;
	struct va_map by_va;
	size_t last; /* found */
	struct mapping_list mappings;
	bool knows_mappings;   /* `mappings` is as of now */
	bool never_trust;      /* other threads can change the map at any time */
	uint64_t n_translated; /* instructions, each address of a process once */
	struct insn_memo memo;
};

void pages_deinit(struct pages *pages);
void pages_clear(struct pages *pages);
void pages_drop_blocks(struct pages *pages);

/* Of a page that was not the last one to be found. */
struct code_page *pages_find_other(struct pages *pages, uint64_t page_va);

/* The page that holds va if it has been looked at; else NULL. Valid until the next one is looked at. */
static inline struct code_page *pages_find(struct pages *pages, uint64_t va)
{
	uint64_t page_va = va & ~(uint64_t)(CODE_PAGE_BYTES - 1);

	/* Mostly it is the one that was asked for before. */
	if (pages->last < pages->n_pages && pages->pages[pages->last].va == page_va)
		return &pages->pages[pages->last];
	return pages_find_other(pages, page_va);
}

/* Reads a page as it is now. False when its code is not to be translated. */
bool pages_read(struct pages *pages, const struct process *process, const struct code_page *page,
		uint8_t bytes[CODE_PAGE_BYTES]);

/* Whether through this mapping shared memory can be written to. */
static inline bool mapping_is_alias(const struct mapping *mapping, uint64_t inode, uint64_t offset_bytes)
{
	return mapping->shared && mapping->writable && mapping->inode == inode &&
	       offset_bytes - mapping->offset_bytes < mapping->end_va - mapping->start_va;
}

/* The same page, looked at now if need be. */
struct code_page *pages_look_at(struct pages *pages, const struct process *process, uint64_t va);

/* The mapping at va as of now, or NULL. */
const struct mapping *pages_mapping(struct pages *pages, const struct process *process, uint64_t va);

/* Counts the instruction at va, on a page that was looked at, as translated. */
void pages_note_translated(struct pages *pages, uint64_t va);

/* Whether that was done. */
bool pages_was_translated(struct pages *pages, uint64_t va);

/* The instruction at va with its effects, valid until another one is read. NULL when it is not to be translated: it lies where code may
 * change, under a breakpoint, or is none. */
const struct insn_known *pages_read_insn(struct pages *pages, const struct process *process, uint64_t va);

/* The same, whether or not there is a breakpoint. */
const struct insn_known *pages_decode(struct pages *pages, const struct process *process, uint64_t va);

/* The same for who only wants to know what will be executed later. NULL, too, where code may change before it is. */
const struct insn_known *pages_look_ahead(struct pages *pages, const struct process *process, uint64_t va);

#endif
