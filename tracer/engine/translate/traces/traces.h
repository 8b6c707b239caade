/* Learns from counters which code is hot, for traces (trace_builder.h). */
#ifndef ITRACE_ENGINE_TRANSLATE_TRACES_TRACES_H
#define ITRACE_ENGINE_TRANSLATE_TRACES_TRACES_H

#include "engine/translate/translator.h"

/* Forgets all facts about a program. */
void traces_reset(struct traces *traces);
void traces_deinit(struct traces *traces);

/* Renews exec_counts and predictions from the counters of the task, the only one in translated code, and marks all
 * translated code as outdated. Returns false if too little has been counted. */
bool traces_learn(struct translator *translator, const struct task *task);

#endif
