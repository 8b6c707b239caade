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
#ifndef ITRACE_STREAM_STREAM_H
#define ITRACE_STREAM_STREAM_H

#include <string.h>

#include "profile/profile.h"

/* In a record's head: its size, and, above, its shape. The size is how many words follow, or, where none are logged, how many blocks it is of. */
enum {
	STREAM_SIZE_BITS = 8,
	STREAM_SIZE_MASK = (1 << STREAM_SIZE_BITS) - 1,
	STREAM_LOGGED_MAX = 15, /* words that follow a head: two registers of AVX-512 hold them all */
	STREAM_WORDS_MAX = 384, /* of all blocks of a record */

	/* struct stream_shapes.sums: words are made in groups, the last of which ends behind the record's. */
	STREAM_FROM_BITS = 8,
	STREAM_GROUP_WORDS = 8,

	/* Words are made for some records at a time: until there are so many of one or the other, which does not push the log out of the
	 * first cache. */
	STREAM_MADE_WORDS = 384,
	STREAM_MADE_RECORDS = 64,
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
	bool by_avx512;				      /* words are made so, eight at a time */
	void (*learn)(void *context, uint32_t shape); /* makes it known; may add blocks to the profile */
	void *context;
	/* What was made of the records that a cursor is in; there can be only one. */
	uint32_t made_records[STREAM_MADE_RECORDS];
	uint64_t made_words[STREAM_MADE_WORDS + STREAM_WORDS_MAX];
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

	/* What comes next: at first all of the batch's arrays; ... */
	const uint32_t *blocks; /* [n_blocks] */
	size_t n_blocks;
	/* ... then records, by their shapes, each of which is taken apart into blocks. */
	const uint32_t *records; /* [n_records] */
	size_t n_records;
	const uint64_t *next_words; /* [n_words] of all of them, when they were made or the cursor began */
	size_t n_words;

	/* Private. */
	const struct profile *profile;
	struct stream_shapes *shapes;
	const uint8_t *at, *end; /* of the records that nothing is made of yet */
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
		.n_words = batch->n_words,
		.profile = profile,
		.shapes = batch->shapes,
		.at = batch->records,
		.end = batch->records ? batch->records + batch->n_bytes : NULL,
	};
}

/* A record as it was logged. */
struct stream_record {
	uint32_t shape; /* which is known */
	uint32_t n_words;
	const uint64_t *words; /* [n_words], behind the head */
};

/* The first record of a batch of records, or the next one. False: there is none. */
static inline bool stream_next_record(struct stream_cursor *cursor, struct stream_record *record)
{
	struct stream_shapes *shapes = cursor->shapes;
	uint32_t head;

	if (cursor->at == cursor->end)
		return false;
	memcpy(&head, cursor->at, sizeof(head));
	record->shape = head >> STREAM_SIZE_BITS;
	record->n_words = shapes->have_words ? head & STREAM_SIZE_MASK : 0;
	record->words = (const uint64_t *)(const void *)cursor->at + 1;
	if (!shapes->shapes[record->shape].n_blocks)
		shapes->learn(shapes->context, record->shape);
	cursor->at += shapes->have_words ? sizeof(*record->words) * (1 + record->n_words) : sizeof(head);
	return true;
}

/* Makes the words of the next records, in place of those of the last ones. False: there are none. */
bool stream_make(struct stream_cursor *cursor);

/* Whether this processor can. */
bool stream_has_avx512(void);

/* How many blocks a batch has. */
static inline uint64_t stream_n_blocks(const struct profile *profile, const struct stream_batch *batch)
{
	struct stream_cursor cursor = stream_begin(profile, batch);
	uint64_t n_blocks = batch->n_blocks;
	struct stream_record record;

	if (!stream_has_words(batch))
		for (uint32_t head; cursor.at < cursor.end; cursor.at += sizeof(head)) {
			memcpy(&head, cursor.at, sizeof(head));
			n_blocks += head & STREAM_SIZE_MASK;
		}
	while (stream_next_record(&cursor, &record))
		n_blocks += batch->shapes->shapes[record.shape].n_blocks;
	return n_blocks;
}

/* The first block of a batch, or the next one. False: there is none. */
static inline bool stream_next(struct stream_cursor *cursor)
{
	if (!cursor->n_blocks) {
		const struct stream_shape *shape;

		if (!cursor->n_records && !stream_make(cursor))
			return false;
		shape = &cursor->shapes->shapes[*cursor->records++];
		cursor->n_records--;
		cursor->blocks = cursor->shapes->blocks + shape->first_block;
		cursor->n_blocks = shape->n_blocks;
	}
	cursor->n_blocks--;
	cursor->block = *cursor->blocks++;
	cursor->words = cursor->next_words;
	if (cursor->words)
		cursor->next_words += cursor->profile->blocks[cursor->block].n_words;
	return true;
}

#endif
