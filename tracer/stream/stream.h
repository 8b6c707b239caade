/* The stream: the instructions that regions executed, in order. An engine passes batches of the stream to a consumer
 * while the program runs.
 *
 * A block of the profile is a sequence of instructions that are adjacent in memory. An instruction that may transfer
 * control (any flow except FLOW_NEXT, including system calls) ends a block. A block also ends at the engine's maximum
 * length and at the end of a batch. A block begins at each target of a transfer, so blocks may overlap. Engines may
 * divide the stream into different blocks, but its instructions are the same.
 *
 * Each execution that a region counts is in exactly one batch that names the region. The sum over the stream therefore
 * equals profile_region.executions. Only the profile has the iterations of a REP string instruction that a signal
 * interrupted, which have no execution.
 *
 * The addresses of a block are the operand addresses of all instructions of the block, in the order of
 * decode/insn_address.h. They include the length of each REP string instruction. Their number is
 * profile_block.n_addresses.
 *
 * A batch holds blocks and addresses in arrays, or encoded as the engine recorded them. A stream_cursor reads both.
 */
#ifndef ITRACE_STREAM_STREAM_H
#define ITRACE_STREAM_STREAM_H

#include "profile/profile.h"

struct stream_cursor;

/* Blocks that were executed one after the other: source->blocks[first_block] to [first_block + n_blocks - 1]. */
struct stream_run {
	uint32_t first_block, n_blocks;
};

/* Implemented by an engine: decodes the encoded batches of one profile. */
struct stream_source {
	bool has_addresses;
	const uint32_t *blocks; /* indices in profile->blocks; may move when refill() is called */

	/* Decodes the next runs into cursor->runs and cursor->next_addresses, and advances cursor->at. Returns false at
	 * the end. Overwrites the results of the previous call, so a source serves one cursor at a time. */
	bool (*refill)(struct stream_source *source, struct stream_cursor *cursor);
};

struct stream_batch {
	uint32_t thread;	 /* numbered from 0 in each profile, in the order of first batches */
	uint32_t handlers;	 /* number of signal handlers that the thread is in and that interrupted a region */
	const uint32_t *regions; /* [n_regions] at least one; all count the whole batch */
	size_t n_regions;

	/* Without a source: arrays, with at least one block. */
	const uint32_t *blocks; /* [n_blocks] indices in profile->blocks, in order of execution */
	size_t n_blocks;
	const uint64_t *addresses; /* [n_addresses]; NULL: not recorded */
	size_t n_addresses;

	/* With a source: encoded. */
	struct stream_source *source; /* or NULL */
	const uint8_t *encoded;	      /* [n_encoded_bytes] */
	size_t n_encoded_bytes;

	/* The batch continues directly after the thread's previous batch. False if a visit began while the thread was
	 * in no region, if a visit began again, or if a signal handler was entered or left. After a handler has
	 * returned, the batch continues the last batch with the same number of handlers. */
	bool is_continuation;
};

/* A system call by the instruction that the thread executed last. */
struct stream_syscall {
	uint32_t thread, handlers; /* as in the batch that ends with the call */
	const uint32_t *regions;   /* [n_regions] */
	size_t n_regions;
	int64_t number;
	bool is_int80;
	uint64_t arguments[3]; /* the first three arguments; 0 for int 0x80 */
	uint64_t result;
};

/* A call of an allocator by the instruction that the thread executed last, or the return of the allocator. Calls of one
 * allocator by another are not reported. */
struct stream_allocation {
	uint32_t thread, handlers;
	const uint32_t *regions; /* [n_regions] none: a thread outside of all regions frees memory */
	size_t n_regions;
	enum profile_allocator allocator;
	bool has_returned;
	uint64_t bytes;	    /* requested; 0 after the return */
	uint64_t freed_va;  /* the freed block; 0: none, or after the return */
	uint64_t result_va; /* after the return: the allocated block; 0: none */
};

/* A consumer of the stream. A batch and its arrays are valid during the call only. All callbacks except on_batch may be
 * NULL. */
struct trace_stream {
	bool wants_addresses;
	void (*on_batch)(void *context, struct profile *profile, const struct stream_batch *batch);
	/* Called after the batch that ends with the instruction. If set, the engine steps system calls. */
	void (*on_syscall)(void *context, struct profile *profile, const struct stream_syscall *call);
	void (*on_allocation)(void *context, struct profile *profile, const struct stream_allocation *event);
	/* Called after the last batch of a thread that ends before the run. */
	void (*on_thread_end)(void *context, struct profile *profile, uint32_t thread);
	void *context;
};

/* Reads a batch in the order of execution. */
struct stream_cursor {
	uint32_t block;		   /* index in profile->blocks, which may grow while the cursor is used */
	const uint64_t *addresses; /* [profile_block.n_addresses]; NULL: not recorded */

	/* Private to stream_next(), in the order in which it reads them. */
	const uint32_t *blocks; /* [n_blocks] the rest of the current run, or of the batch's array */
	size_t n_blocks;
	const struct stream_run *runs; /* [n_runs] the next runs; then source->refill() decodes more */
	size_t n_runs;
	const uint64_t *next_addresses; /* of the next block */

	const struct profile *profile;
	struct stream_source *source;
	const uint8_t *at, *end; /* encoded bytes that are not decoded yet; the source advances `at` */
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

/* Moves to the first or the next block of a batch. Returns false at the end. */
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
