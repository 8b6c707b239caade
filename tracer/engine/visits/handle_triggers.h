/* Handles triggers (regions/triggers.h): visits begin and end, libraries are searched for more triggers. */
#ifndef ITRACE_ENGINE_VISITS_HANDLE_TRIGGERS_H
#define ITRACE_ENGINE_VISITS_HANDLE_TRIGGERS_H

#include "engine/run.h"

/* Handles the triggers at regs->rip. Moves rip over the NOP of a marker. Any other instruction remains to be
 * executed. */
void handle_triggers(struct engine *engine, struct task *task, struct target_regs *regs);

/* Handles a bare int3 that the thread has passed: it begins or ends its region. */
void handle_int3(struct engine *engine, struct task *task, const struct target_regs *regs);

#endif
