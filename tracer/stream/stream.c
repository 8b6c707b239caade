#include "stream/stream.h"

#include <immintrin.h>

/* Another processor may have written the log, and the start of the next record is known late. */
enum { PREFETCH_BYTES = 1024 };

/* Computes all words of one record from its head, which n_logged words follow. May write up to STREAM_GROUP_WORDS - 1
 * undefined words behind them. */
typedef void words_maker(const int64_t *sums, size_t n_sums, const uint64_t *head, size_t n_logged, uint64_t *words);

static inline void make_one_by_one(const int64_t *sums, size_t n_sums, const uint64_t *head, size_t n_logged,
				   uint64_t *words)
{
	(void)n_logged;
	for (size_t i = 0; i < n_sums; i += 4)
#pragma GCC unroll 4
		for (size_t k = i; k < i + 4; k++)
			words[k] = head[sums[k] & ((1 << STREAM_FROM_BITS) - 1)] +
				   (uint64_t)(sums[k] >> STREAM_FROM_BITS);
}

__attribute__((target("avx512f"))) static inline void
make_groups(const int64_t *sums, size_t n_sums, const uint64_t *head, size_t n_logged, uint64_t *words)
{
	uint32_t is_logged = (2u << n_logged) - 1;
	__m512i low = _mm512_maskz_loadu_epi64((__mmask8)is_logged, head);
	__m512i high = _mm512_maskz_loadu_epi64((__mmask8)(is_logged >> 8), head + 8);

	for (size_t i = 0; i < n_sums; i += STREAM_GROUP_WORDS) {
		__m512i group = _mm512_loadu_si512(sums + i);

		/* Forces one load. The compiler would load the group for both uses, most loads cross a cache line,
		 * and loads dominate this loop. */
		__asm__("" : "+v"(group));
		/* The permutation reads only the lowest 4 bits of each sum, which limits STREAM_LOGGED_MAX. */
		__m512i from = _mm512_permutex2var_epi64(low, group, high);

		_mm512_storeu_si512(words + i, _mm512_add_epi64(from, _mm512_srai_epi64(group, STREAM_FROM_BITS)));
	}
}

static inline __attribute__((always_inline)) void make_records(struct stream_cursor *cursor, words_maker *make)
{
	struct stream_shapes *shapes = cursor->shapes;
	struct stream_cursor next = *cursor;
	struct stream_record record;
	size_t n_records = 0, n_words = 0;

	while (n_records < STREAM_MADE_RECORDS && n_words < STREAM_MADE_WORDS && stream_next_record(&next, &record)) {
		struct stream_shape shape = shapes->shapes[record.shape];

		__builtin_prefetch(next.at + PREFETCH_BYTES);
		shapes->made_records[n_records++] = record.shape;
		if (!shapes->have_words)
			continue;
		make(shapes->sums + shape.first_sum, shape.n_sums, record.words - 1, record.n_words,
		     shapes->made_words + n_words);
		n_words += shape.n_sums;
	}
	cursor->at = next.at;
	cursor->n_records = n_records;
	cursor->n_words = n_words;
}

static void make_portably(struct stream_cursor *cursor)
{
	make_records(cursor, make_one_by_one);
}

__attribute__((target("avx512f"))) static void make_by_avx512(struct stream_cursor *cursor)
{
	make_records(cursor, make_groups);
}

bool stream_has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

bool stream_make(struct stream_cursor *cursor)
{
	struct stream_shapes *shapes = cursor->shapes;

	if (cursor->at == cursor->end)
		return false;
	if (shapes->by_avx512)
		make_by_avx512(cursor);
	else
		make_portably(cursor);
	cursor->records = shapes->made_records;
	cursor->next_words = shapes->have_words ? shapes->made_words : NULL;
	return true;
}
