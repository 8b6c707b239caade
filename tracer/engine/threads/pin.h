/* Keeps itrace and a stepped thread on one processor: that makes two to three times as many steps
 * (tests/bench/README.md). Undone when the last visit ends, and around system calls through which the program could
 * see or inherit it. */
#ifndef ITRACE_ENGINE_THREADS_PIN_H
#define ITRACE_ENGINE_THREADS_PIN_H

#include "engine/run.h"
#include "engine/task.h"

void task_pin(struct engine *engine, struct task *task);
void task_unpin(struct engine *engine, struct task *task);

#endif
