/* The stream: the instructions that regions executed, in order. An engine passes the stream to its consumer while the
 * program runs.
 *
 * A block of the profile is a sequence of instructions that are contiguous in memory. An instruction that may
 * transfer control (any flow but FLOW_NEXT, including system calls) is the last of its block. A block also ends at
 * the engine's maximum length and at the end of a batch. Blocks may overlap, because a block begins at each target of
 * a transfer. Engines cut blocks differently, but the instructions of the stream are the same.
 *
 * Each execution of an instruction that a region counts is in exactly one batch of the region, so the sum over the
 * stream equals profile_region.executions. A REP string instruction that a signal interrupts has iterations without
 * an execution. The stream does not contain these.
 *
 * The addresses of a block are the address entries (decode/insn_address.h) of all its instructions, in order. Their
 * number is profile_block.n_addresses.
 *
 * A batch has its blocks and addresses in arrays, or encoded as the engine recorded them. A stream_cursor reads both.
 */
#ifndef ITRACE_STREAM_STREAM_H
#define ITRACE_STREAM_STREAM_H

#include "profile/profile.h"

struct stream_cursor;

/* Consecutively executed blocks: source->blocks[first_block] to source->blocks[first_block + n_blocks - 1]. */
struct stream_run {
	uint32_t first_block, n_blocks;
};

/* Implemented by an engine: decodes the encoded batches of one profile. */
struct stream_source {
	bool has_addresses;
	const uint32_t *blocks; /* indices in profile->blocks; refill() may move the array */

	/* Decodes the next runs into cursor->runs and cursor->next_addresses, and advances cursor->at. Returns false
	 * at the end. A call overwrites the previous results, so a source serves one cursor at a time. */
	bool (*refill)(struct stream_source *source, struct stream_cursor *cursor);
};

struct stream_batch {
	uint32_t thread;	 /* numbered from 0 in each profile, in the order of first batches */
	uint32_t handlers;	 /* number of signal handlers, entered in a region, that the thread is in */
	const uint32_t *regions; /* [n_regions], at least one: each counts the whole batch */
	size_t n_regions;

	/* At least one block. Either in arrays ... */
	const uint32_t *blocks; /* [n_blocks] indices in profile->blocks, in order of execution */
	size_t n_blocks;
	const uint64_t *addresses; /* [n_addresses]; NULL: not recorded */
	size_t n_addresses;

	/* ... or encoded. */
	struct stream_source *source; /* NULL: arrays */
	const uint8_t *encoded;	      /* [n_encoded_bytes] */
	size_t n_encoded_bytes;

	/* True if the batch continues the thread's previous batch. False if a visit began while the thread was in
	 * none, or began again, or if a signal handler was entered or left. After a handler has returned, the next
	 * batch continues the latest one with the same number of handlers. */
	bool continues_previous;
};

/* A system call by the thread's latest instruction. */
struct stream_syscall {
	uint32_t thread, handlers; /* as in the batch that ends with the call */
	const uint32_t *regions;   /* [n_regions] */
	size_t n_regions;
	int64_t number;
	bool is_int80;
	uint64_t arguments[3]; /* the first three arguments; 0 for int 0x80 */
	uint64_t result;
};

/* A call of an allocator by the thread's latest instruction, or the return of that call. A call by another allocator
 * is not reported. */
struct stream_allocation {
	uint32_t thread, handlers;
	const uint32_t *regions; /* [n_regions]; 0: a thread in no region frees memory */
	size_t n_regions;
	enum profile_allocator allocator;
	bool has_returned;
	uint64_t bytes;	    /* requested; 0 after the return */
	uint64_t freed_va;  /* the freed block; 0: none, or after the return */
	uint64_t result_va; /* after the return: the allocated block; 0: none */
};

/* A consumer of the stream. A batch and its arrays are valid only during the call. */
struct trace_stream {
	bool wants_addresses;
	void (*on_batch)(void *context, struct profile *profile, const struct stream_batch *batch);
	/* Called after the batch that ends with the instruction. May be NULL. Unless NULL, system calls are stepped. */
	void (*on_syscall)(void *context, struct profile *profile, const struct stream_syscall *call);
	/* May be NULL. */
	void (*on_allocation)(void *context, struct profile *profile, const struct stream_allocation *event);
	/* Called when no more batches of this thread will follow, but not for threads that exist when the run ends.
	 * May be NULL. */
	void (*on_thread_end)(void *context, struct profile *profile, uint32_t thread);
	void *context;
};

/* Reads a batch in the order of execution. */
struct stream_cursor {
	uint32_t block;		   /* index in profile->blocks, which may grow while the cursor is used */
	const uint64_t *addresses; /* [profile_block.n_addresses]; NULL: not recorded */

	/* The following blocks: first the rest of a run or of the batch's arrays, ... */
	const uint32_t *blocks; /* [n_blocks] */
	size_t n_blocks;
	/* ... then these runs, then the runs that the source decodes. */
	const struct stream_run *runs; /* [n_runs] */
	size_t n_runs;
	const uint64_t *next_addresses; /* of the next block */

	const struct profile *profile;
	struct stream_source *source;
	const uint8_t *at, *end; /* the encoded bytes that remain; the source advances `at` */
};

static inline bool stream_has_addresses(const struct stream_batch *batch)
{
	return batch->source ? batch->source->has_addresses : batch->addresses != NULL;
}

static inline struct stream_cursor stream_begin(const struct profile *profile, const struct stream_batch *batch)
{
	return (struct stream_cursor){
		.blocks = batch->blocks,
		.n_blocks = batch->n_blocks,
		.next_addresses = batch->addresses,
		.profile = profile,
		.source = batch->source,
		.at = batch->encoded,
		.end = batch->source ? batch->encoded + batch->n_encoded_bytes : NULL,
	};
}

/* Moves to the first block of a batch, or to the next one. Returns false at the end. */
static inline bool stream_next(struct stream_cursor *cursor)
{
	if (!cursor->n_blocks) {
		if (!cursor->n_runs && (!cursor->source || !cursor->source->refill(cursor->source, cursor)))
			return false;
		cursor->blocks = cursor->source->blocks + cursor->runs->first_block;
		cursor->n_blocks = cursor->runs->n_blocks;
		cursor->runs++;
		cursor->n_runs--;
	}
	cursor->n_blocks--;
	cursor->block = *cursor->blocks++;
	cursor->addresses = cursor->next_addresses;
	if (cursor->addresses)
		cursor->next_addresses += cursor->profile->blocks[cursor->block].n_addresses;
	return true;
}

#endif
