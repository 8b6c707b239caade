/* Executions of code before the last flush, by address. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRACES_EXEC_COUNTS_H
#define ITRACE_ENGINE_TRANSLATE_TRACES_EXEC_COUNTS_H

#include "engine/translate/translator.h"

/* Adds executions to a count, which saturates. */
void exec_counts_add(struct va_map *counts, uint64_t va, uint64_t executions);

/* Returns 0 if nothing is known of va. */
uint32_t exec_counts_get(const struct va_map *counts, uint64_t va);

/* Returns true if a trace may begin at va, or continue there after a transfer. */
bool exec_counts_is_hot(const struct translator *translator, uint64_t va);

/* Returns true if a branch to target_va is probably taken in less than half of its executions. */
bool exec_counts_is_rarely_taken(const struct translator *translator, uint64_t next_va, uint64_t target_va);

/* Returns false if code at va, a branch target, was not executed so far. Such code is not translated in advance. */
bool exec_counts_may_execute(const struct translator *translator, uint64_t va);

#endif
