/* Steps threads through restartable sequences (rseq.h). */
#ifndef ITRACE_ENGINE_THREADS_RSEQ_STEPPING_H
#define ITRACE_ENGINE_THREADS_RSEQ_STEPPING_H

#include "engine/run.h"
#include "engine/task.h"

/* The thread is about to be stepped at regs->rip. Inside a section, stops the other threads and hides the section
 * from the kernel, which would abort it at the first step. Outside, lets the other threads run again. */
void rseq_stepping_enter(struct engine *engine, struct task *task, const struct target_regs *regs);

/* Sends a thread inside a section to the abort handler, as if it had been preempted. */
void rseq_stepping_abort(struct engine *engine, struct task *task, struct target_regs *regs);

#endif
