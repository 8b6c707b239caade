/* --every N: one visit in N is counted. The others are skipped: they run natively, like code outside the region. */
#ifndef ITRACE_ENGINE_VISITS_VISIT_SAMPLING_H
#define ITRACE_ENGINE_VISITS_VISIT_SAMPLING_H

#include "engine/run.h"

/* Called when a visit begins, or its region is entered again. Returns true if the visit is skipped. itrace then still
 * watches for its end. */
bool visit_sampling_skips(struct engine *engine, struct task *task, uint32_t region, enum visit_end end, uint64_t rsp);

/* Called at an end marker. Returns true if the marker ends a skipped visit. */
bool visit_sampling_ends(struct task *task, uint32_t region, uint64_t rsp);

/* The thread is at regs->rip. Ends skipped --function visits that have returned. */
void visit_sampling_check_returns(struct engine *engine, struct task *task, const struct target_regs *regs);

/* Notes in the profile how many visits there were. */
void visit_sampling_note(struct engine *engine);

#endif
