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
 * Addresses, where they are logged, are the words of decode/insn_address.h of all the instructions of a block, one behind the other:
 * profile_block.n_words.
 *
 * A batch comes as arrays of blocks and words, or as the log that the program itself wrote: records, each of one or more blocks that were
 * executed one behind the other, and of as many words as tell all theirs. Which blocks these are, and how the words follow, its shape tells. A struct
 * stream_cursor reads both.
 */
#ifndef ITRACE_PROFILE_STREAM_H
#define ITRACE_PROFILE_STREAM_H

#include <string.h>

#include "profile/profile.h"

/* In a record's head: its size, and, above, its shape. The size is how many words follow, or, where none are logged, how many blocks it is of. */
enum {
	STREAM_SIZE_BITS = 8,
	STREAM_SIZE_MASK = (1 << STREAM_SIZE_BITS) - 1,

	/* Words are made in groups, the last of which ends behind the record's. */
	STREAM_GROUP_WORDS = 4,
	STREAM_WORDS_MAX = 384,

	/* struct stream_shapes.sums */
	STREAM_FROM_BITS = 8,
};

struct stream_shapes {
	struct stream_shape {
		uint32_t first_block, n_blocks; /* in blocks; n_blocks 0: not known yet */
		uint32_t first_sum, n_sums;	/* in sums: the words of the blocks */
	} * shapes;				/* [n_shapes] */
	size_t n_shapes, shapes_capacity;
	uint32_t *blocks; /* [n_blocks] indices in profile->blocks */
	size_t n_blocks, blocks_capacity;
	/* [n_sums] A word of the record, counted from 1, the 0th being its head, in the lower bits, and, in the upper ones, what it is less than the word
	 * that is meant. */
	int64_t *sums;
	size_t n_sums, sums_capacity;
	bool have_words;
	void (*learn)(void *context, uint32_t shape); /* makes it known; may add blocks to the profile */
	void *context;
	uint64_t words[STREAM_WORDS_MAX]; /* of the record that a cursor is in; there can be only one */
};

struct stream_batch {
	uint32_t thread;	 /* numbered from 0 in each profile, by first batches */
	uint32_t handlers;	 /* signal handlers that the thread is in, entered in a region */
	const uint32_t *regions; /* [n_regions] that all of this counts into */
	size_t n_regions;	 /* 0 is never handed over */

	/* At least one block: in arrays, or ... */
	const uint32_t *blocks; /* [n_blocks] indices in profile->blocks, in order of execution */
	size_t n_blocks;
	const uint64_t *words; /* [n_words]; NULL: addresses are not logged */
	size_t n_words;

	/* ... in records: a head of 8 bytes and its words, or one of 4 bytes where shapes have none. */
	const uint8_t *records; /* [n_bytes], aligned as heads are; NULL: there are arrays */
	size_t n_bytes;
	struct stream_shapes *shapes;

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
	uint64_t arguments[3]; /* the first three; of int 0x80: 0 */
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
	/* No batch of this thread comes any more. Not told of those that are there at the end of the run. NULL: not wanted. */
	void (*on_thread_end)(void *context, struct profile *profile, uint32_t thread);
	void *context;
};

/* Reads a batch in the order of execution. One batch has one cursor at a time. */
struct stream_cursor {
	uint32_t block;	       /* index in profile->blocks, which may grow meanwhile */
	const uint64_t *words; /* the block's; NULL: not logged */

	/* Of the record that it is in: what is left of it. Arrays are one record. */
	const uint32_t *blocks;
	size_t n_blocks;
	const uint64_t *next_words; /* those of the block behind this one */
	const uint64_t *logged;	    /* [n_logged] what the record's words are made from */
	size_t n_logged;

	/* Private. */
	const struct profile *profile;
	struct stream_shapes *shapes;
	const struct stream_shape *shape;
	bool have_words;
	const uint8_t *at, *end; /* records */
};

static inline bool stream_has_words(const struct stream_batch *batch)
{
	return batch->records ? batch->shapes->have_words : batch->words != NULL;
}

static inline struct stream_cursor stream_begin(const struct profile *profile, const struct stream_batch *batch)
{
	return (struct stream_cursor){
		.blocks = batch->blocks,
		.n_blocks = batch->n_blocks,
		.next_words = batch->words,
		.profile = profile,
		.shapes = batch->shapes,
		.have_words = stream_has_words(batch),
		.at = batch->records,
		.end = batch->records ? batch->records + batch->n_bytes : NULL,
	};
}

/* The first record of a batch of records, or the next one. False: there is none. */
static inline bool stream_next_record(struct stream_cursor *cursor)
{
	uint32_t head;

	if (cursor->at == cursor->end)
		return false;
	memcpy(&head, cursor->at, sizeof(head));
	if (!cursor->shapes->shapes[head >> STREAM_SIZE_BITS].n_blocks)
		cursor->shapes->learn(cursor->shapes->context, head >> STREAM_SIZE_BITS);
	cursor->shape = &cursor->shapes->shapes[head >> STREAM_SIZE_BITS];
	cursor->blocks = cursor->shapes->blocks + cursor->shape->first_block;
	cursor->n_blocks = cursor->shape->n_blocks;
	if (cursor->have_words) {
		cursor->logged = (const uint64_t *)(const void *)cursor->at + 1;
		cursor->n_logged = head & STREAM_SIZE_MASK;
		cursor->at = (const uint8_t *)(cursor->logged + cursor->n_logged);
	} else {
		cursor->at += sizeof(head);
	}
	return true;
}

/* Makes all words of the record. */
static inline void stream_make_words(struct stream_cursor *cursor)
{
	const int64_t *sums = cursor->shapes->sums + cursor->shape->first_sum;
	uint64_t *words = cursor->shapes->words;

	for (size_t i = 0; i < cursor->shape->n_sums; i += STREAM_GROUP_WORDS)
#pragma GCC unroll 4
		for (size_t k = i; k < i + STREAM_GROUP_WORDS; k++)
			words[k] = cursor->logged[(sums[k] & ((1 << STREAM_FROM_BITS) - 1)) - 1] +
				   (uint64_t)(sums[k] >> STREAM_FROM_BITS);
	cursor->next_words = words;
}

/* How many blocks a batch has. */
static inline uint64_t stream_n_blocks(const struct profile *profile, const struct stream_batch *batch)
{
	struct stream_cursor cursor = stream_begin(profile, batch);
	uint64_t n_blocks = batch->n_blocks;

	if (!cursor.have_words)
		for (uint32_t head; cursor.at < cursor.end; cursor.at += sizeof(head)) {
			memcpy(&head, cursor.at, sizeof(head));
			n_blocks += head & STREAM_SIZE_MASK;
		}
	while (stream_next_record(&cursor))
		n_blocks += cursor.n_blocks;
	return n_blocks;
}

/* The first block of a batch, or the next one. False: there is none. */
static inline bool stream_next(struct stream_cursor *cursor)
{
	if (!cursor->n_blocks) {
		if (!stream_next_record(cursor))
			return false;
		if (cursor->have_words)
			stream_make_words(cursor);
	}
	cursor->n_blocks--;
	cursor->block = *cursor->blocks++;
	cursor->words = cursor->next_words;
	if (cursor->words)
		cursor->next_words += cursor->profile->blocks[cursor->block].n_words;
	return true;
}

#endif
