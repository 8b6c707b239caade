/* The stream: an engine hands over what regions executed, in order, while the program runs.
 *
 * A block is a run of instructions with consecutive addresses that execute from the first to the last. An instruction
 * that may transfer control (any flow except FLOW_NEXT; also a system call) ends its block. A block may end earlier
 * if it gets too long or the batch ends. Blocks may overlap, because a block begins wherever control enters. Engines
 * may cut blocks differently; the instructions of the stream are the same.
 *
 * Each execution of an instruction that a region counts is in exactly one batch that names the region, so that the
 * stream adds up to profile_region.executions. One exception: if a signal interrupts a REP string instruction, its
 * earlier iterations are only in the counts.
 *
 * Logged addresses are the words of decode/insn_address.h for all instructions of a block in order:
 * profile_block.n_words.
 *
 * A batch holds either arrays of blocks and words, or the log as the program wrote it. The log consists of records. A
 * record stands for one or more consecutive blocks and logs only the words that the others can be computed from. The
 * record's shape gives its blocks and the computation. A struct stream_cursor reads both kinds of batch.
 */
#ifndef ITRACE_STREAM_STREAM_H
#define ITRACE_STREAM_STREAM_H

#include <string.h>

#include "profile/profile.h"

/* The head of a record holds its size in the low bits and its shape above. The size is the number of words that
 * follow, or the number of blocks if no words are logged. */
enum {
	STREAM_SIZE_BITS = 8,
	STREAM_SIZE_MASK = (1 << STREAM_SIZE_BITS) - 1,
	STREAM_LOGGED_MAX = 15, /* words after a head: they fit into two AVX-512 registers */
	STREAM_WORDS_MAX = 384, /* of all blocks of a record */

	/* struct stream_shapes.sums: words are computed in groups. The last group may reach beyond the record's
	 * words. */
	STREAM_FROM_BITS = 8,
	STREAM_GROUP_WORDS = 8,

	/* A cursor computes the words of several records at once, until it reaches either limit. The limits keep the
	 * log in the L1 cache. */
	STREAM_MADE_WORDS = 384,
	STREAM_MADE_RECORDS = 64,
};

struct stream_shapes {
	struct stream_shape {
		uint32_t first_block, n_blocks; /* range in blocks; n_blocks 0: not yet known */
		uint32_t first_sum, n_sums;	/* range in sums, one for each word of the blocks */
	} * shapes;				/* [n_shapes] */
	size_t n_shapes, shapes_capacity;
	uint32_t *blocks; /* [n_blocks] indices in profile->blocks */
	size_t n_blocks, blocks_capacity;
	/* [n_sums] Computes one word. The low STREAM_FROM_BITS bits are the index of a logged word, with the head as
	 * 0. The upper bits are added to that word. */
	int64_t *sums;
	size_t n_sums, sums_capacity;
	bool have_words;
	bool by_avx512;				      /* uses AVX-512 to compute eight words at a time */
	void (*learn)(void *context, uint32_t shape); /* decodes a new shape; may add blocks to the profile */
	void *context;
	/* Shapes and words of the records that the cursor has computed. Only one cursor may be active. */
	uint32_t made_records[STREAM_MADE_RECORDS];
	uint64_t made_words[STREAM_MADE_WORDS + STREAM_WORDS_MAX];
};

struct stream_batch {
	uint32_t thread;	 /* numbered from 0 in each profile, by first batch */
	uint32_t handlers;	 /* nesting depth of signal handlers entered inside a region */
	const uint32_t *regions; /* [n_regions] regions that count this batch */
	size_t n_regions;	 /* at least 1 */

	/* At least one block: either arrays ... */
	const uint32_t *blocks; /* [n_blocks] indices in profile->blocks, in order of execution */
	size_t n_blocks;
	const uint64_t *words; /* [n_words]; NULL: addresses are not logged */
	size_t n_words;

	/* ... or records. A head has 8 bytes and is followed by its words, or has 4 bytes if the shapes have no
	 * words. */
	const uint8_t *records; /* [n_bytes], aligned like heads; NULL: the batch has arrays */
	size_t n_bytes;
	struct stream_shapes *shapes;

	/* True: the batch continues where the thread's previous batch ended. False at the first batch of a visit, and
	 * after a signal handler begins or returns. After a return, the batch continues the last one with fewer
	 * handlers. */
	bool follows;
};

/* A system call made by the instruction that the thread executed last. */
struct stream_syscall {
	uint32_t thread, handlers; /* as in the batch that ends with the call */
	const uint32_t *regions;   /* [n_regions] */
	size_t n_regions;
	int64_t number;
	bool is_int80;
	uint64_t arguments[3]; /* the first three; 0 for int 0x80 */
	uint64_t result;
};

/* An allocator is called by the instruction that the thread executed last, or has returned. Nested allocator calls
 * are not reported. */
struct stream_allocation {
	uint32_t thread, handlers;
	const uint32_t *regions; /* [n_regions]; 0: a free outside all regions */
	size_t n_regions;
	enum profile_allocator allocator;
	bool has_returned;
	uint64_t bytes;	    /* requested; 0 after the return */
	uint64_t freed_va;  /* the freed block; 0: none, or after the return */
	uint64_t result_va; /* after the return: the allocated block; 0: none */
};

/* The callbacks of a consumer. A batch and its arrays are valid only during the call. */
struct trace_stream {
	bool wants_addresses;
	void (*on_batch)(void *context, struct profile *profile, const struct stream_batch *batch);
	/* Called after the batch that ends with the instruction. NULL: unused; otherwise the engine steps each system
	 * call. */
	void (*on_syscall)(void *context, struct profile *profile, const struct stream_syscall *call);
	/* NULL: unused. */
	void (*on_allocation)(void *context, struct profile *profile, const struct stream_allocation *event);
	/* This thread sends no more batches. Not called for threads that outlive the run. NULL: unused. */
	void (*on_thread_end)(void *context, struct profile *profile, uint32_t thread);
	void *context;
};

/* Reads a batch in order of execution. A batch may have only one cursor at a time. */
struct stream_cursor {
	uint32_t block;	       /* index in profile->blocks, which may grow meanwhile */
	const uint64_t *words; /* of the block; NULL: not logged */

	/* The blocks that come next: first the batch's arrays ... */
	const uint32_t *blocks; /* [n_blocks] */
	size_t n_blocks;
	/* ... then the blocks of each record, by its shape. */
	const uint32_t *records; /* [n_records] */
	size_t n_records;
	const uint64_t *next_words; /* [n_words] of the blocks that come next */
	size_t n_words;

	/* Private. */
	const struct profile *profile;
	struct stream_shapes *shapes;
	const uint8_t *at, *end; /* the records that are not yet computed */
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

/* A record as logged. */
struct stream_record {
	uint32_t shape; /* a known shape */
	uint32_t n_words;
	const uint64_t *words; /* [n_words], after the head */
};

/* Gets the next record of a batch of records. Returns false at the end. */
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

/* Computes the words of the next records, in place of the previous ones. Returns false at the end. */
bool stream_make(struct stream_cursor *cursor);

/* Returns true if this processor supports AVX-512. */
bool stream_has_avx512(void);

/* The number of blocks in a batch. */
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

/* Gets the next block of a batch. Returns false at the end. */
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
