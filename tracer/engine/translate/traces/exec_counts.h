/* How often code was executed before the last flush, by address. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRACES_EXEC_COUNTS_H
#define ITRACE_ENGINE_TRANSLATE_TRACES_EXEC_COUNTS_H

#include "engine/translate/translator.h"

/* Adds executions to a count, which saturates. */
void exec_counts_add(struct va_map *counts, uint64_t va, uint64_t executions);

/* 0 if nothing is known of va. */
uint32_t exec_counts_get(const struct va_map *counts, uint64_t va);

/* True when a trace may begin at va, or go on there after a transfer. */
bool exec_counts_is_hot(const struct translator *translator, uint64_t va);

/* True when a branch to target_va is probably taken less often than not. */
bool exec_counts_is_rarely_taken(const struct translator *translator, uint64_t next_va, uint64_t target_va);

/* False when code at va, a branch target, was not executed so far: it is not translated ahead. */
bool exec_counts_may_execute(const struct translator *translator, uint64_t va);

#endif
