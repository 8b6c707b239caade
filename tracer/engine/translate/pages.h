/* The pages of code that the translator has looked at, as they were then. Only pages that the program cannot write to are
 * translated: whoever wants to change them must ask the kernel first, and then they are forgotten here. */
#ifndef ITRACE_ENGINE_TRANSLATE_PAGES_H
#define ITRACE_ENGINE_TRANSLATE_PAGES_H

#include <stdbool.h>

#include "decode/effects.h"
#include "engine/translate/va_map.h"
#include "target/target.h"

enum { CODE_PAGE_BYTES = 4096 };

struct code_page {
	uint64_t va;
	bool is_translatable;
	uint8_t bytes[CODE_PAGE_BYTES];
};

struct decoded; /* an instruction as it was decoded before */

struct pages {
	struct code_page *pages;
	size_t n_pages, pages_capacity;
	struct va_map by_va;
	struct mapping_list mappings;
	bool knows_mappings;	 /* `mappings` is as of now */
	struct decoded *decoded; /* [DECODED_MAX], by the low bits of the address; NULL until needed */
};

void pages_deinit(struct pages *pages);
void pages_clear(struct pages *pages);

/* Whether a page in this range has been looked at. */
bool pages_know_range(const struct pages *pages, uint64_t start_va, uint64_t end_va);

/* Whether all pages that may be translated are as they were. */
bool pages_verify(struct pages *pages, const struct process *process);

/* The instruction at va with its effects. False when it is not to be translated: it lies where code may change, under a breakpoint,
 * or is none. */
bool pages_read_insn(struct pages *pages, const struct process *process, uint64_t va, struct insn *insn,
		     struct insn_effects *effects);

#endif
