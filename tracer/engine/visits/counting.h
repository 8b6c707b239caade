/* Counts executed instructions into the regions that a task is in. */
#ifndef ITRACE_ENGINE_VISITS_COUNTING_H
#define ITRACE_ENGINE_VISITS_COUNTING_H

#include "engine/run.h"

/* Recomputes task->counting after a change of visits or handlers. Earlier counts go to the former regions. The
 * uncollected counters of these regions stay in task->idle, because collecting all counters takes long, and most
 * changes are soon reversed (into a handler or region and back). */
void task_update_counting(struct engine *engine, struct task *task);

/* Exchanges task->counting and task->idle. */
void task_swap_counting(struct engine *engine, struct task *task);

/* Collects all counts of the task, which is in no region any more. */
void task_collect_counts(struct engine *engine, struct task *task);

/* Adds executions of an instruction, in no particular order. Negative numbers subtract, modulo 2^64. */
void task_add_counts(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions, uint64_t iterations);

/* Counts the next instruction in the order of execution: one execution, or some of its iterations. */
void task_count(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions, uint64_t iterations);

/* Passes an event to the plan's on_event. A begin or end of a visit must come after task_update_counting, which
 * reports the instructions before it. */
void task_report_event(struct engine *engine, const struct task *task, enum trace_event_kind kind, uint32_t index);

/* Counts the edge from task->previous to an instruction executed after it, if task->previous is a transfer of
 * control. */
void task_count_edge(struct engine *engine, struct task *task, uint32_t insn);

#endif
