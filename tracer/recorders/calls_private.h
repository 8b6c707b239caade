/* The state of a call builder, for the two files that are one (calls.h). Private to profile/. */
#ifndef ITRACE_RECORDERS_CALLS_PRIVATE_H
#define ITRACE_RECORDERS_CALLS_PRIVATE_H

#include "recorders/call_counts.h"
#include "recorders/calls.h"

enum call_transfer { TRANSFER_PLAIN, TRANSFER_INDIRECT, TRANSFER_CALL, TRANSFER_RETURN };

/* What matters of a block of the profile. */
struct call_block {
	uint32_t function; /* of its first instruction; PROFILE_NONE: none */
	uint32_t module;
	uint8_t transfer;  /* enum call_transfer: how it ends */
	bool is_entry;	   /* it begins where its function does */
	bool is_stub;	   /* its function leads to another one that is called */
	bool is_anonymous; /* code without symbols */
	uint32_t first, last;
	uint64_t start_va, end_va;
};

struct call_frame {
	uint32_t context;
	uint32_t function;     /* in which the frame's code is, as call_block has it */
	uint32_t parent, site; /* of the call */
	uint32_t module;
	uint64_t return_va; /* 0: it came by a jump and goes with the frame below */
	bool is_stub;
};

/* One thread in one region, outside signal handlers or in one. */
struct call_stack {
	uint32_t region, handlers;
	struct call_frame *frames;
	size_t n_frames, frames_capacity;
	size_t n_unfollowed; /* calls above FRAMES_MAX */
	uint32_t previous;   /* block; PROFILE_NONE before the first */
	uint64_t last_batch; /* of the thread */

	/* An allocator that was called and has not returned; PROFILE_NONE: none. */
	uint32_t allocation_site; /* index in the region's call_memory.sites */
	uint64_t allocation_bytes, freed_va;

	uint32_t kernel_site; /* likewise, of the system call that is being added */
};

struct call_thread {
	struct call_stack *stacks;
	size_t n_stacks, stacks_capacity;
	uint64_t n_batches;
	uint32_t handlers; /* of its last batch */
};

struct call_builder {
	call_symbolize *symbolize;
	void *context;
	struct call_block *facts; /* [n_facts] by block */
	size_t n_facts, facts_capacity;
	struct call_thread *threads;
	size_t n_threads, threads_capacity;
	struct call_counts *counts; /* [n_counts] by region */
	size_t n_counts, counts_capacity;
	bool wants_memory;
	uint64_t break_va; /* the program's; 0: not known */
};

/* Find or add. What one of them returned is valid until it adds another. */
struct call_thread *call_builder_thread(struct call_builder *builder, uint32_t thread);
struct call_stack *call_builder_stack(struct call_thread *thread, uint32_t region, uint32_t handlers);
struct call_counts *call_builder_counts(struct call_builder *builder, uint32_t region);

#endif
