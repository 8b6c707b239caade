/* Steps threads through restartable sequences (rseq.h). */
#ifndef ITRACE_ENGINE_THREADS_RSEQ_STEPPING_H
#define ITRACE_ENGINE_THREADS_RSEQ_STEPPING_H

#include "engine/run.h"
#include "engine/task.h"

/* The thread is about to be stepped at regs->rip. In a section, hides it from the kernel, which would abort it at
 * the first step, and stops the other threads; outside, lets them run again. */
void rseq_stepping_enter(struct engine *engine, struct task *task, const struct target_regs *regs);

/* If the thread is in a section: sends it to the abort handler, as if it had been preempted. */
void rseq_stepping_abort(struct engine *engine, struct task *task, struct target_regs *regs);

#endif
