/* What happens where a thread comes to a trigger: visits begin and end, libraries are looked at. */
#ifndef ITRACE_ENGINE_VISITS_TRIGGER_HANDLING_H
#define ITRACE_ENGINE_VISITS_TRIGGER_HANDLING_H

#include "engine/task.h"

/* Acts on the triggers at regs->rip; a marker's NOP is passed by moving rip on, others are yet to be executed. */
void pull_triggers(struct engine *engine, struct task *task, struct target_regs *regs);

/* A bare int3, which was passed: begins the region of these, or ends it. */
void pull_int3(struct engine *engine, struct task *task, const struct target_regs *regs);

#endif
