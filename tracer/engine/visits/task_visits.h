/* The visits and signal handlers of a task. */
#ifndef ITRACE_ENGINE_VISITS_TASK_VISITS_H
#define ITRACE_ENGINE_VISITS_TASK_VISITS_H

#include "engine/run.h"

/* Returns the task of a thread, as thread->task. */
struct task *task_create(struct engine *engine, struct thread *thread);
void task_destroy(struct task *task);

/* Sets task->is_native and counts such tasks of the process, because they can change code unseen by itrace. */
void task_set_native(struct engine *engine, struct task *task, bool is_native);

void task_begin_visit(struct engine *engine, struct task *task, uint32_t region, enum visit_end end, uint64_t rsp);
void task_end_visit(struct engine *engine, struct task *task, uint32_t region, uint64_t rsp);

/* Ends --function visits whose call has returned or was left, and handlers left by siglongjmp, as the stack pointer
 * shows. Called after each counted instruction, task->site. */
void task_check_stack(struct engine *engine, struct task *task, const struct target_regs *after);

/* The thread ends or executes another program: cuts its visits. */
void task_cut_visits(struct engine *engine, struct task *task);

void task_enter_handler(struct engine *engine, struct task *task, uint64_t interrupted_rsp, uint64_t entry_rsp);
void task_leave_handler(struct engine *engine, struct task *task);

#endif
