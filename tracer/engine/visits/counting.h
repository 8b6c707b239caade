/* Counts executed instructions into the regions that a task is in. */
#ifndef ITRACE_ENGINE_VISITS_COUNTING_H
#define ITRACE_ENGINE_VISITS_COUNTING_H

#include "engine/run.h"
#include "engine/task.h"

/* Recomputes task->counting after a change of visits or handlers; what was counted so far is added to the former
 * regions. */
void task_update_counting(struct engine *engine, struct task *task);

/* Adds executions of an instruction without an order. Negative numbers are subtracted, modulo 2^64. */
void task_add_counts(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions, uint64_t iterations);

/* Counts one execution of an instruction, or some of its iterations, as the next in order. */
void task_count(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions, uint64_t iterations);

/* Counts the edge from task->previous, if it is a transfer of control, to an instruction that was executed after it. */
void task_count_edge(struct engine *engine, struct task *task, uint32_t insn);

#endif
