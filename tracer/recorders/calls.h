/* Call trees, from the executed calls and returns of a stream.
 *
 * Each thread has a stack of calls for each region that it is in, and for each signal handler within. A return goes back to the
 * call that it returns to, wherever on the stack. A jump to another function is a call that returns with its caller (a tail
 * call), unless that function is on the stack and the jump does not lead to its start: then it is a longjmp, or an exception. Stubs of
 * the procedure linkage table, and the dynamic loader's resolver behind them, are called beside the function that they
 * lead to, not above it. Where a visit began below a function's callers, those that it returns to are roots as well.
 */
#ifndef ITRACE_RECORDERS_CALLS_H
#define ITRACE_RECORDERS_CALLS_H

#include "stream/stream.h"

/* Makes sure that an instruction's function is known, if it can be. */
typedef void call_symbolize(void *context, struct profile *profile, uint32_t insn);

struct call_builder;

/* wants_memory: what allocators and system calls hand out is counted as well. */
struct call_builder *call_builder_create(call_symbolize *symbolize, bool wants_memory, void *context);
void call_builder_destroy(struct call_builder *builder);

/* Takes all batches of a run. */
void call_builder_add(struct call_builder *builder, struct profile *profile, const struct stream_batch *batch);

/* Takes a system call of the instruction that the last batch ended with. */
void call_builder_add_syscall(struct call_builder *builder, struct profile *profile, const struct stream_syscall *call);

/* Takes an allocator's begin or return. */
void call_builder_add_allocation(struct call_builder *builder, const struct stream_allocation *event);

/* No batch of the thread comes any more: releases what it took. */
void call_builder_end_thread(struct call_builder *builder, uint32_t thread);

/* Gives the regions their trees, after the last batch. */
void call_builder_finish(struct call_builder *builder, struct profile *profile);

#endif
