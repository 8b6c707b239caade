/* Threads in restartable sequences while they are stepped (rseq.h). Private to engine/. */
#ifndef ITRACE_ENGINE_THREADS_RSEQ_STEPPING_H
#define ITRACE_ENGINE_THREADS_RSEQ_STEPPING_H

#include "engine/task.h"

/* The thread is about to be stepped at regs->rip. The kernel, which would abort the sequence at the first step, is not to know that the
 * thread is in one. */
void sections_heed(struct engine *engine, struct task *task, const struct target_regs *regs);

/* As if the thread had been preempted in the restartable sequence that it is in. */
void sections_abort(struct engine *engine, struct task *task, struct target_regs *regs);

#endif
