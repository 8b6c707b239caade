/* When traces are made: all code is flushed then, and translated again along hot paths. The first time is soon after
 * the start, and each next time four times later; earlier when the program enters another phase. While a program
 * starts up, the first time is postponed. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRACES_SCHEDULE_H
#define ITRACE_ENGINE_TRANSLATE_TRACES_SCHEDULE_H

#include "engine/translate/translator.h"

/* The time, in the unit of struct schedule. */
unsigned schedule_now(const struct translator *translator);

/* True when it is time to make traces. */
bool schedule_is_due(struct translator *translator);

/* The program stopped for code to be translated. */
void schedule_count_stop(struct translator *translator);

/* Looks from time to time whether the task, which may be running, executes much code that is not hot. */
void schedule_detect_phase(struct translator *translator, const struct task *task);

/* Traces are made now, from the task's counters. False when those say too little: tried again soon. */
bool schedule_begin(struct translator *translator, const struct task *task);

#endif
