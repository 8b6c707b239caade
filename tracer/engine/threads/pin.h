/* Keeps itrace and a stepped thread on one processor, which makes steps two to three times as fast
 * (tests/bench/README.md). Undone when the last visit ends, and during system calls by which the program could see or
 * inherit the affinity. */
#ifndef ITRACE_ENGINE_THREADS_PIN_H
#define ITRACE_ENGINE_THREADS_PIN_H

#include "engine/run.h"
#include "engine/task.h"

void task_pin(struct engine *engine, struct task *task);
void task_unpin(struct engine *engine, struct task *task);

#endif
