/* Suspends pages of which the code may have changed. No thread enters code translated from them until the page is
 * compared. Then unchanged fragments are resumed and the others are retired: no thread may enter them any more, and
 * threads inside continue to the fragment's end. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SUSPEND_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SUSPEND_H

#include "engine/translate/translator.h"

/* Adds a new fragment, whose instructions are known, to its pages. Call it in the order of the fragments. */
void suspend_add_fragment(struct translator *translator, uint32_t index);

void suspend_page(struct translator *translator, struct code_page *page);
void suspend_range(struct translator *translator, uint64_t start_va, uint64_t end_va);

/* Compares a page, or all suspended pages, with the program's memory. Resumes unchanged fragments. */
void suspend_check_page(struct translator *translator, struct code_page *page);
void suspend_check_pages(struct translator *translator);

/* All fragments are gone. Checked pages (struct code_page) are protected again. */
void suspend_forget_fragments(struct translator *translator, struct code_page *page);

/* Retires all fragments of a page. */
void retire_page(struct translator *translator, struct code_page *page);

/* Reads again what a fragment at va was or will be translated from, where pages are is_checked, and retires the
 * fragment there if it differs. */
void suspend_refresh_checked(struct translator *translator, uint64_t va);

/* Retires the fragments that execute the byte at va. */
void retire_at(struct translator *translator, uint64_t va);

/* Finds pages that changed without being suspended, and treats them as suspended ones. */
void suspend_verify_pages(struct translator *translator);

#endif
