/* Suspends pages whose code may have changed: nothing translated from them is entered until the page was compared.
 * Fragments whose bytes are the same are resumed then, others are retired. */
#ifndef ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SUSPEND_H
#define ITRACE_ENGINE_TRANSLATE_CONSISTENCY_SUSPEND_H

#include "engine/translate/translator.h"

/* Adds a new fragment, whose instructions are known, to its pages. Fragments are added in order. */
void suspend_add_fragment(struct translator *translator, uint32_t index);

void suspend_page(struct translator *translator, struct code_page *page);
void suspend_range(struct translator *translator, uint64_t start_va, uint64_t end_va);

/* Compares a page, or all suspended pages, with the program's memory, and resumes what is unchanged. */
void suspend_check_page(struct translator *translator, const struct process *process, struct code_page *page);
void suspend_check_pages(struct translator *translator, const struct process *process);

/* Finds pages that changed without being suspended, and handles them in the same way. */
void suspend_verify_pages(struct translator *translator, const struct process *process);

#endif
