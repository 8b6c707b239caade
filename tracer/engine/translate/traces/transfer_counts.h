/* Predictions from counted edges. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRACES_TRANSFER_COUNTS_H
#define ITRACE_ENGINE_TRANSLATE_TRACES_TRANSFER_COUNTS_H

#include "engine/translate/translator.h"

/* Replaces all predictions. `values` are all counters of a thread. */
void transfer_counts_predict(struct translator *translator, const uint64_t *values);

#endif
