/* Learns from counters which code is hot, so that traces can be made of it (trace_builder.h). */
#ifndef ITRACE_ENGINE_TRANSLATE_TRACES_TRACES_H
#define ITRACE_ENGINE_TRANSLATE_TRACES_TRACES_H

#include "engine/translate/translator.h"

/* Forgets all that is known of a program. */
void traces_reset(struct traces *traces);
void traces_deinit(struct traces *traces);

/* Renews exec_counts and predictions from the counters of the task, the only one in translated code, and makes what
 * is translated outdated. False when it has counted too little. */
bool traces_learn(struct translator *translator, const struct task *task);

#endif
