/* The stream: what regions executed, in its order, handed over by an engine while the program runs.
 *
 * A block of the profile is what runs from one end to the other: instructions that lie directly behind one another. An instruction that
 * may transfer control (any flow but FLOW_NEXT, a system call too) is the last of its block; a block ends before that where it got
 * too long, or where the batch must end. Blocks may overlap: one begins wherever control came in. Where engines cut
 * their blocks differs; the instructions of the stream do not.
 *
 * Each execution of an instruction that a region counts is in one batch that names the region, exactly once: summed up, the
 * stream equals profile_region.executions. Of REP string instructions, iterations that a signal separated from the execution
 * are in the counts only.
 *
 * Addresses, where they are logged, are the words of decode/insn_address.h of all the instructions of all the blocks of the batch, one
 * behind the other; block_words(profile, block) of them belong to one block.
 */
#ifndef ITRACE_PROFILE_STREAM_H
#define ITRACE_PROFILE_STREAM_H

#include "profile/profile.h"

struct stream_batch {
	uint32_t thread;	 /* numbered from 0 in each profile, by first batches */
	uint32_t handlers;	 /* signal handlers that the thread is in, entered in a region */
	const uint32_t *regions; /* [n_regions] that all of this counts into */
	size_t n_regions;	 /* 0 is never handed over */
	const uint32_t *blocks;	 /* [n_blocks] indices in profile->blocks, in order of execution */
	size_t n_blocks;	 /* at least 1 */
	const uint64_t *words;	 /* [n_words]; NULL: addresses are not logged */
	size_t n_words;
	/* Whether it goes on where the thread's last batch ended. False where the thread's first visit began or one began anew, or
	 * a signal handler was entered or left; one that was left goes on where the last batch with fewer handlers ended. */
	bool follows;
};

/* A system call, by the instruction that the thread executed last. */
struct stream_syscall {
	uint32_t thread, handlers; /* as in the batch that ended with it */
	const uint32_t *regions;   /* [n_regions] */
	size_t n_regions;
	int64_t number;
	bool is_int80;
	uint64_t arguments[2]; /* the first two; of int 0x80: 0 */
	uint64_t result;
};

/* An allocator begins, called by the instruction that the thread executed last, or has returned. What it
 * calls in turn is not told. */
struct stream_allocation {
	uint32_t thread, handlers;
	const uint32_t *regions; /* [n_regions]; 0: outside all, and it frees */
	size_t n_regions;
	enum profile_allocator allocator;
	bool has_returned;
	uint64_t bytes;	    /* asked for; 0 when returned */
	uint64_t freed_va;  /* block given back; 0: none, or when returned */
	uint64_t result_va; /* when returned: the block handed out; 0: none */
};

/* Who listens. The batch and its arrays are valid during the call only. */
struct trace_stream {
	bool wants_addresses;
	void (*on_batch)(void *context, struct profile *profile, const struct stream_batch *batch);
	/* After the batch that ends with the instruction. NULL: not wanted; else each system call is stepped. */
	void (*on_syscall)(void *context, struct profile *profile, const struct stream_syscall *call);
	/* NULL: not wanted. */
	void (*on_allocation)(void *context, struct profile *profile, const struct stream_allocation *event);
	void *context;
};

#endif
