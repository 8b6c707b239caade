/* Records call trees from the executed calls and returns of a stream.
 *
 * Each thread has a call stack for each region that it is in, and for each signal handler within. A return goes to the
 * frame of its call, anywhere on the stack. A jump to another function is a tail call, which returns with its caller.
 * But if that function is on the stack and the jump does not go to its start, the jump is a longjmp or an exception.
 * PLT stubs and the dynamic loader's resolver are siblings of the function that they call, not callers. If a visit
 * begins inside a function and returns to its callers, these become roots, too.
 */
#ifndef ITRACE_RECORDERS_CALLS_H
#define ITRACE_RECORDERS_CALLS_H

#include "stream/stream.h"

/* Sets the function of an instruction of the profile, if it has one. */
typedef void call_symbolize(void *context, struct profile *profile, uint32_t insn);

struct call_recorder;

/* wants_memory: records allocations by functions and system calls, too. `context` is passed to symbolize. */
struct call_recorder *call_recorder_create(call_symbolize *symbolize, bool wants_memory, void *context);
void call_recorder_destroy(struct call_recorder *recorder);

/* Adds the next batch of a run. */
void call_recorder_add_batch(struct call_recorder *recorder, struct profile *profile, const struct stream_batch *batch);

/* Records a system call by the last instruction of the thread's last batch. */
void call_recorder_add_syscall(struct call_recorder *recorder, struct profile *profile,
			       const struct stream_syscall *call);

/* Records the call or the return of an allocator. */
void call_recorder_add_allocation(struct call_recorder *recorder, const struct stream_allocation *event);

/* Releases the state of a thread that has ended. */
void call_recorder_end_thread(struct call_recorder *recorder, uint32_t thread);

/* Writes the call trees to the regions after the last batch. */
void call_recorder_finish(struct call_recorder *recorder, struct profile *profile);

#endif
