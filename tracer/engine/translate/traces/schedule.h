/* The times at which traces are made. All code is then flushed, and translated again along hot paths. The first time
 * is soon after the start, and each interval is four times as long as the previous one. A new phase of the program
 * makes the next time earlier. While the program starts up, the first time is postponed. */
#ifndef ITRACE_ENGINE_TRANSLATE_TRACES_SCHEDULE_H
#define ITRACE_ENGINE_TRANSLATE_TRACES_SCHEDULE_H

#include "engine/translate/translator.h"

/* Returns the time, in the unit of struct schedule. */
unsigned schedule_now(const struct translator *translator);

/* Returns true if it is time to make traces. */
bool schedule_is_due(struct translator *translator);

/* Tests from time to time if the task, which may be running, executes much code that is not hot. */
void schedule_detect_phase(struct translator *translator, const struct task *task);

/* Traces are made now, from the task's counters. Returns false if the counters say too little; the next attempt is
 * soon. */
bool schedule_begin(struct translator *translator, const struct task *task);

#endif
