/* Makes traces: learns from counters which code is hot, and chooses the path of a trace after each transfer of
 * control. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRACES_TRACES_H
#define ITRACE_ENGINE_TRANSLATE_TRACES_TRACES_H

#include "engine/translate/build/block_ir.h"
#include "engine/translate/translator.h"

/* Forgets all facts about a program. */
void traces_reset(struct traces *traces);
void traces_deinit(struct traces *traces);

/* Renews exec_counts and predictions from the counters of the task, the only one in translated code, and marks all
 * translated code as outdated. Returns false if too little has been counted. */
bool traces_learn(struct translator *translator, const struct task *task);

/* Returns the address at which the IR continues after the transfer that it ends in, or 0. If that address leads back
 * into a loop that began inside the trace, cuts the IR before the loop. */
uint64_t trace_builder_next(struct translator *translator, struct block_ir *ir);

/* Returns false if the trace must not contain the instruction at va once more. */
bool trace_builder_may_take(const struct block_ir *ir, uint64_t va);

#endif
