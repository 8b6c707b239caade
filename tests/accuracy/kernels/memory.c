/* Bytes from here to there. */
#include "kernels.h"

#include <immintrin.h>
#include <string.h>

/* Keeps the compiler from making a call of a loop. */
#define OPAQUE(value) __asm__ volatile("" : "+r"(value))

KERNEL uint64_t kernel_strlen(struct data *data)
{
	const uint8_t *at = data->text;

	while (*at) {
		at++;
		OPAQUE(at);
	}
	return (uint64_t)(at - data->text);
}

__attribute__((target("avx2"))) KERNEL uint64_t kernel_memchr_avx2(struct data *data)
{
	__m256i wanted = _mm256_setzero_si256();
	size_t i = 0;
	uint32_t found;

	for (;; i += 32) {
		found = (uint32_t)_mm256_movemask_epi8(
			_mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)&data->text[i]), wanted));
		if (found)
			return i + (unsigned)__builtin_ctz(found);
	}
}

KERNEL uint64_t kernel_memcpy_bytes(struct data *data)
{
	for (size_t i = 0; i < N_BYTES; i++) {
		data->out[i] = data->random[i];
		OPAQUE(i);
	}
	return data->out[5];
}

KERNEL uint64_t kernel_memcpy_words(struct data *data)
{
	for (size_t i = 0; i < N_BYTES; i += 8) {
		memcpy(&data->out[i], &data->random[i], 8);
		OPAQUE(i);
	}
	return data->out[5];
}

__attribute__((target("avx2"))) KERNEL uint64_t kernel_memcpy_avx2(struct data *data)
{
	for (size_t i = 0; i < N_BYTES; i += 32)
		_mm256_storeu_si256((__m256i *)&data->out[i], _mm256_loadu_si256((const __m256i *)&data->random[i]));
	return data->out[5];
}

__attribute__((target("avx2"))) KERNEL uint64_t kernel_memset_avx2(struct data *data)
{
	__m256i value = _mm256_set1_epi8((char)data->random[0]);

	for (size_t i = 0; i < 2 * N_BYTES; i += 32)
		_mm256_storeu_si256((__m256i *)&data->out[i], value);
	return data->out[5];
}

KERNEL uint64_t kernel_reverse(struct data *data)
{
	for (size_t i = 0; i < N_BYTES; i++)
		data->out[N_BYTES - 1 - i] = data->random[i];
	return data->out[5];
}

__attribute__((target("ssse3"))) KERNEL uint64_t kernel_swap_shuffle(struct data *data)
{
	const __m128i order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);

	for (size_t i = 0; i < N_BYTES; i += 16)
		_mm_storeu_si128((__m128i *)&data->out[i],
				 _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)&data->random[i]), order));
	return data->out[5];
}

const struct kernel memory_kernels[] = {
	{"strlen", kernel_strlen, NULL},
	{"memchr_avx2", kernel_memchr_avx2, "avx2"},
	{"memcpy_bytes", kernel_memcpy_bytes, NULL},
	{"memcpy_words", kernel_memcpy_words, NULL},
	{"memcpy_avx2", kernel_memcpy_avx2, "avx2"},
	{"memset_avx2", kernel_memset_avx2, "avx2"},
	{"reverse", kernel_reverse, NULL},
	{"swap_shuffle", kernel_swap_shuffle, "ssse3"},
	{NULL, NULL, NULL},
};
