/* The state of a call recorder, shared by calls.c and call_events.c. Private to recorders/. */
#ifndef ITRACE_RECORDERS_CALLS_PRIVATE_H
#define ITRACE_RECORDERS_CALLS_PRIVATE_H

#include "recorders/call_counts.h"
#include "recorders/calls.h"

enum call_transfer {
	TRANSFER_PLAIN,	   /* fall-through, or a direct jump or branch */
	TRANSFER_INDIRECT, /* an indirect jump */
	TRANSFER_CALL,
	TRANSFER_RETURN,
};

/* Properties of a block of the profile. */
struct call_block {
	uint32_t function; /* of the first instruction, or PROFILE_NONE */
	uint32_t module;
	uint8_t transfer;     /* enum call_transfer of the last instruction */
	bool is_entry;	      /* starts a function */
	bool is_stub;	      /* see profile_function_is_stub() */
	bool is_anonymous;    /* code without a symbol */
	uint32_t first, last; /* instructions */
	uint64_t start_va, end_va;
};

struct call_frame {
	uint32_t context;
	uint32_t function;     /* as in call_block */
	uint32_t parent, site; /* context and instruction of the call */
	uint32_t module;
	uint64_t return_va; /* return address; 0: a tail call, which returns with the frame below */
	bool is_stub;
};

/* The stack of one thread in one region, at one depth of signal handlers. */
struct call_stack {
	uint32_t region, handlers;
	struct call_frame *frames;
	size_t n_frames, frames_capacity;
	size_t n_unfollowed; /* active calls without a frame, because they are deeper than FRAMES_MAX */
	uint32_t previous;   /* previous block, or PROFILE_NONE at the start of a visit */
	uint64_t last_batch; /* number of the thread's last batch on this stack */

	/* A pending call of an allocator; PROFILE_NONE: none. */
	uint32_t allocation_site; /* index in the region's call_memory.sites */
	uint64_t allocation_bytes, freed_va;

	uint32_t mapping_site; /* index in the region's call_memory.sites of the current mmap, munmap, mremap or brk */
};

struct call_thread {
	struct call_stack *stacks;
	size_t n_stacks, stacks_capacity;
	uint64_t n_batches;
	uint32_t handlers; /* stream_batch.handlers of the last batch */
};

struct call_recorder {
	call_symbolize *symbolize;
	void *context;
	struct call_block *blocks; /* [n_blocks] by block */
	size_t n_blocks, blocks_capacity;
	struct call_thread *threads;
	size_t n_threads, threads_capacity;
	struct call_counts *counts; /* [n_counts] by region */
	size_t n_counts, counts_capacity;
	bool wants_memory;
	uint64_t break_va; /* program break; 0: unknown */
};

/* The functions below find or add an entry. A pointer is valid until another entry is added. */
struct call_thread *call_recorder_thread(struct call_recorder *recorder, uint32_t thread);
struct call_stack *call_recorder_stack(struct call_thread *thread, uint32_t region, uint32_t handlers);
struct call_counts *call_recorder_counts(struct call_recorder *recorder, uint32_t region);

#endif
