/* Decodes the log that translated code writes (log.h), as a stream_source.
 *
 * A record is a head and, if addresses are wanted, logged addresses of 8 bytes each. The head is the record's shape
 * and size. A shape represents the first instructions of a fragment: their blocks in the profile, and for each of
 * their addresses a logged address and a constant, which are added.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_LOG_READER_H
#define ITRACE_ENGINE_TRANSLATE_LOG_LOG_READER_H

#include <string.h>

#include "stream/stream.h"

enum {
	/* The low bits of a head are the record's size: the number of logged addresses or, without addresses, of
	 * blocks. The bits above are its shape. A head has 8 bytes, sign-extended from 32 bits, or 4 without
	 * addresses. */
	LOG_SIZE_BITS = 8,
	LOG_SIZE_MASK = (1 << LOG_SIZE_BITS) - 1,
	LOG_LOGGED_MAX = 15,	 /* logged addresses of a record: with the head they fill two registers of AVX-512 */
	LOG_ADDRESSES_MAX = 384, /* addresses of all blocks of a record */

	/* Sums are computed in groups. The last group may extend past the record's addresses. */
	LOG_FROM_BITS = 8,
	LOG_GROUP = 8,

	/* Records are decoded in chunks of at most about this many addresses or records, which fit in the first-level
	 * cache. */
	LOG_CHUNK_ADDRESSES = 384,
	LOG_CHUNK_RECORDS = 64,
};

struct log_shapes {
	struct stream_source source; /* source.blocks is `blocks` */
	struct log_shape {
		uint32_t first_block, n_blocks; /* part of `blocks`; n_blocks 0: not resolved yet */
		uint32_t first_sum, n_sums;	/* part of `sums`: one for each address of the blocks */
	} * shapes;				/* [n_shapes] */
	size_t n_shapes, shapes_capacity;
	uint32_t *blocks; /* [n_blocks] indices in profile->blocks */
	size_t n_blocks, blocks_capacity;
	/* [n_sums] The low LOG_FROM_BITS are the index of a word of the record (0: the head, 1: the first logged
	 * address, ...). The other bits are the constant to add to that word. */
	int64_t *sums;
	size_t n_sums, sums_capacity;
	bool by_avx512; /* sums are computed eight at a time */

	/* Resolves a shape when its first record is read. May add blocks to the profile. */
	void (*resolve)(void *context, uint32_t shape);
	void *context;

	/* The latest decoded records. */
	struct stream_run chunk_runs[LOG_CHUNK_RECORDS];
	uint64_t chunk_addresses[LOG_CHUNK_ADDRESSES + LOG_ADDRESSES_MAX];
	size_t n_chunk_addresses;
};

/* The caller sets source.has_addresses, resolve and context. */
void log_reader_init(struct log_shapes *shapes);

/* Returns true if this processor can decode with AVX-512. */
bool log_reader_has_avx512(void);

static inline struct log_shapes *log_reader_shapes(struct stream_source *source)
{
	return (struct log_shapes *)(void *)((char *)source - offsetof(struct log_shapes, source));
}

/* A record as it was logged. */
struct log_record {
	uint32_t shape; /* index of a shape that is resolved */
	uint32_t n_logged;
	const uint64_t *logged; /* [n_logged] */
};

/* Reads the next record of a batch. Returns false at the end. */
static inline bool log_reader_next_record(struct log_shapes *shapes, struct stream_cursor *cursor,
					  struct log_record *record)
{
	bool has_addresses = shapes->source.has_addresses;
	uint32_t head;

	if (cursor->at == cursor->end)
		return false;
	memcpy(&head, cursor->at, sizeof(head));
	record->shape = head >> LOG_SIZE_BITS;
	record->n_logged = has_addresses ? head & LOG_SIZE_MASK : 0;
	record->logged = (const uint64_t *)(const void *)cursor->at + 1;
	if (!shapes->shapes[record->shape].n_blocks)
		shapes->resolve(shapes->context, record->shape);
	cursor->at += has_addresses ? sizeof(*record->logged) * (1 + record->n_logged) : sizeof(head);
	return true;
}

#endif
