/* Predicted targets of indirect branches. If edges are counted, the predictions follow from the counts. Otherwise
 * translated code notes the last target of an indirect branch in a counter (COUNTER_LAST_TARGET), which is sampled at
 * each tick. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRACES_PREDICTIONS_H
#define ITRACE_ENGINE_TRANSLATE_TRACES_PREDICTIONS_H

#include "engine/translate/translator.h"

/* A branch is unpredictable if more than one in this many executions has another target. */
enum { PREDICTIONS_MOSTLY = 4 };

void predictions_deinit(struct predictions *predictions);
void predictions_clear(struct predictions *predictions);

/* Returns the prediction for the indirect branch at va, or NULL. Valid until another one is added. */
struct prediction *predictions_find(const struct predictions *predictions, uint64_t va);

/* Replaces all predictions by those from counted edges. `values` are all counters of a thread. */
void predictions_from_edges(struct translator *translator, const uint64_t *values);

/* Samples the last targets of the task once in each tick. The task may be running. */
void predictions_sample(struct translator *translator, const struct task *task, unsigned now);

/* Returns true if translated code must note the targets of this instruction. */
bool predictions_want_target(const struct translator *translator, const struct fragment_insn *insn);

/* Returns the target at which a trace continues after the branch at va, or 0. */
uint64_t predictions_target(const struct translator *translator, uint64_t va);

#endif
