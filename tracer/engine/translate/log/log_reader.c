#include "engine/translate/log/log_reader.h"

#include <immintrin.h>

/* The traced program wrote the log, perhaps on another processor. Records vary in size, so the hardware cannot
 * predict them. */
enum { PREFETCH_BYTES = 1024 };

/* Computes the addresses of one record from its head and the n_logged addresses after the head. May write up to
 * LOG_GROUP - 1 meaningless addresses after the results. */
typedef void sums_maker(const int64_t *sums, size_t n_sums, const uint64_t *head, size_t n_logged, uint64_t *addresses);

static inline void make_one_by_one(const int64_t *sums, size_t n_sums, const uint64_t *head, size_t n_logged,
				   uint64_t *addresses)
{
	(void)n_logged;
	for (size_t i = 0; i < n_sums; i += 4)
#pragma GCC unroll 4
		for (size_t k = i; k < i + 4; k++)
			addresses[k] = head[sums[k] & ((1 << LOG_FROM_BITS) - 1)] +
				       (uint64_t)(sums[k] >> LOG_FROM_BITS);
}

__attribute__((target("avx512f"))) static inline void
make_groups(const int64_t *sums, size_t n_sums, const uint64_t *head, size_t n_logged, uint64_t *addresses)
{
	uint32_t is_logged = (2u << n_logged) - 1;
	__m512i low = _mm512_maskz_loadu_epi64((__mmask8)is_logged, head);
	__m512i high = _mm512_maskz_loadu_epi64((__mmask8)(is_logged >> 8), head + 8);

	for (size_t i = 0; i < n_sums; i += LOG_GROUP) {
		__m512i group = _mm512_loadu_si512(sums + i);

		/* Keeps the compiler from loading the group twice. These loads, most of which cross a cache line, are
		 * the bottleneck. */
		__asm__("" : "+v"(group));
		/* Uses only the low 4 bits of each sum; LOG_LOGGED_MAX follows from that. */
		__m512i from = _mm512_permutex2var_epi64(low, group, high);

		_mm512_storeu_si512(addresses + i, _mm512_add_epi64(from, _mm512_srai_epi64(group, LOG_FROM_BITS)));
	}
}

static inline __attribute__((always_inline)) void decode(struct log_shapes *shapes, struct stream_cursor *cursor,
							 sums_maker *make)
{
	struct stream_cursor next = *cursor;
	struct log_record record;
	size_t n_records = 0, n_addresses = 0;

	while (n_records < LOG_CHUNK_RECORDS && n_addresses < LOG_CHUNK_ADDRESSES &&
	       log_reader_next_record(shapes, &next, &record)) {
		struct log_shape shape = shapes->shapes[record.shape];

		__builtin_prefetch(next.at + PREFETCH_BYTES);
		shapes->chunk_runs[n_records++] = (struct stream_run){shape.first_block, shape.n_blocks};
		if (!shapes->source.has_addresses)
			continue;
		make(shapes->sums + shape.first_sum, shape.n_sums, record.logged - 1, record.n_logged,
		     shapes->chunk_addresses + n_addresses);
		n_addresses += shape.n_sums;
	}
	cursor->at = next.at;
	cursor->n_runs = n_records;
	shapes->n_chunk_addresses = n_addresses;
}

static void decode_portably(struct log_shapes *shapes, struct stream_cursor *cursor)
{
	decode(shapes, cursor, make_one_by_one);
}

__attribute__((target("avx512f"))) static void decode_by_avx512(struct log_shapes *shapes, struct stream_cursor *cursor)
{
	decode(shapes, cursor, make_groups);
}

static bool refill(struct stream_source *source, struct stream_cursor *cursor)
{
	struct log_shapes *shapes = log_reader_shapes(source);

	if (cursor->at == cursor->end)
		return false;
	(shapes->by_avx512 ? decode_by_avx512 : decode_portably)(shapes, cursor);
	source->blocks = shapes->blocks;
	cursor->runs = shapes->chunk_runs;
	cursor->next_addresses = source->has_addresses ? shapes->chunk_addresses : NULL;
	return true;
}

bool log_reader_has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

void log_reader_init(struct log_shapes *shapes)
{
	shapes->source.refill = refill;
	shapes->by_avx512 = log_reader_has_avx512();
}
