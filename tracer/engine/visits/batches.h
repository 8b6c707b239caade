/* Gathers what tasks execute into batches of the stream (stream/stream.h). */
#ifndef ITRACE_ENGINE_VISITS_BATCHES_H
#define ITRACE_ENGINE_VISITS_BATCHES_H

#include "engine/run.h"

/* Adds a stepped instruction to the task's batch; task_count() calls it. The addresses of its memory operands follow
 * from task->before. */
void batches_add_insn(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions,
		      uint64_t iterations);

/* Passes an encoded batch to the stream's consumer. The caller has set the batch's source and bytes. */
void batches_add_encoded(struct engine *engine, struct task *task, const struct stream_batch *encoded);

/* Passes the gathered batch to the consumer, for the regions in task->counting. */
void batches_flush(struct engine *engine, struct task *task);

/* As batches_flush. The next batch does not continue this one. */
void batches_break(struct engine *engine, struct task *task);

/* Passes a system call to the consumer. The latest counted instruction made the call. */
void batches_add_syscall(struct engine *engine, struct task *task, int64_t number, bool is_int80, uint64_t result);

/* Passes the last batch of a thread to the consumer. The thread is gone or executes nothing more. */
void batches_end(struct engine *engine, struct task *task);

void batches_deinit(struct task_batch *batch);

#endif
