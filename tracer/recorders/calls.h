/* Records call trees from the executed calls and returns of a stream.
 *
 * Each thread has a call stack for each region that it is in, and for each signal handler within. A return goes to the
 * frame of its call, anywhere on the stack. A jump to another function is a tail call, which returns with its caller.
 * If that function is on the stack and the jump does not lead to its start, the jump is a longjmp or an exception
 * instead. PLT stubs and the dynamic loader's resolver are siblings of the function that they lead to, not callers. If
 * a visit began inside a function and returns to its callers, these become roots, too.
 */
#ifndef ITRACE_RECORDERS_CALLS_H
#define ITRACE_RECORDERS_CALLS_H

#include "stream/stream.h"

/* Looks up the function of an instruction, if it has one. */
typedef void call_symbolize(void *context, struct profile *profile, uint32_t insn);

struct call_recorder;

/* wants_memory: records allocations and memory mapped by system calls, too. */
struct call_recorder *call_recorder_create(call_symbolize *symbolize, bool wants_memory, void *context);
void call_recorder_destroy(struct call_recorder *recorder);

/* Call this for all batches of a run, in order. */
void call_recorder_add(struct call_recorder *recorder, struct profile *profile, const struct stream_batch *batch);

/* Takes a system call made by the last instruction of the last batch. */
void call_recorder_add_syscall(struct call_recorder *recorder, struct profile *profile,
			       const struct stream_syscall *call);

/* Takes an allocator's call or return. */
void call_recorder_add_allocation(struct call_recorder *recorder, const struct stream_allocation *event);

/* Releases the state of a thread that has ended. */
void call_recorder_end_thread(struct call_recorder *recorder, uint32_t thread);

/* Writes the call trees to the regions after the last batch. */
void call_recorder_finish(struct call_recorder *recorder, struct profile *profile);

#endif
