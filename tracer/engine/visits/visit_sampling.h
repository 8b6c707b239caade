/* --every N: of each region one visit in N is counted; the others are passed through natively, as if they were none. */
#ifndef ITRACE_ENGINE_VISITS_VISIT_SAMPLING_H
#define ITRACE_ENGINE_VISITS_VISIT_SAMPLING_H

#include "engine/task.h"

/* A visit begins, or goes deeper. True when it is to be passed through; its end is looked for all the same. */
bool every_skips(struct engine *engine, struct task *task, uint32_t region, enum visit_end end, uint64_t rsp);

/* An end marker. True when it was that of a visit that is passed through. */
bool every_ends(struct task *task, uint32_t region, uint64_t rsp);

/* The thread stands at regs->rip: calls that are passed through end where they return to. */
void every_check_returns(struct engine *engine, struct task *task, const struct target_regs *regs);

/* How many visits there were, for the reader. */
void every_note(struct engine *engine);

#endif
