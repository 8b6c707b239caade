/* Integer arithmetic without branches but the loop's. */
#include "kernels.h"

#include <immintrin.h>
#include <string.h>

KERNEL uint64_t kernel_sum_int(struct data *data)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < N_WORDS; i++)
		sum += (uint64_t)data->ints[i];
	return sum;
}

KERNEL uint64_t kernel_dot_int(struct data *data)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < N_WORDS; i++)
		sum += (uint32_t)data->ints[i] * data->sorted[i];
	return sum;
}

__attribute__((target("avx2"))) KERNEL uint64_t kernel_sum_int_avx2(struct data *data)
{
	__m256i sum = _mm256_setzero_si256();
	uint32_t parts[8], all = 0;

	for (size_t i = 0; i < N_BYTES; i += 32)
		sum = _mm256_add_epi32(sum, _mm256_loadu_si256((const __m256i *)&data->random[i]));
	_mm256_storeu_si256((__m256i *)parts, sum);
	for (size_t i = 0; i < 8; i++)
		all += parts[i];
	return all;
}

KERNEL uint64_t kernel_hash_bytes(struct data *data)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < N_BYTES; i++)
		hash = (hash ^ data->random[i]) * UINT64_C(0x100000001b3);
	return hash;
}

KERNEL uint64_t kernel_hash_words(struct data *data)
{
	uint64_t hash = 1;

	for (size_t i = 0; i < N_BYTES; i += 8) {
		uint64_t word;

		memcpy(&word, &data->random[i], sizeof(word));
		word *= UINT64_C(0x87c37b91114253d5);
		word = word << 31 | word >> 33;
		hash ^= word * UINT64_C(0x4cf5ad432745937f);
		hash = (hash << 27 | hash >> 37) * 5 + 0x52dce729;
	}
	return hash;
}

KERNEL uint64_t kernel_crc_table(struct data *data)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < N_BYTES; i++)
		crc = data->crc_table[(crc ^ data->random[i]) & 255] ^ crc >> 8;
	return crc;
}

__attribute__((target("sse4.2"))) KERNEL uint64_t kernel_crc_sse42(struct data *data)
{
	uint64_t crc = UINT32_MAX;

	for (size_t i = 0; i < N_BYTES; i += 8) {
		uint64_t word;

		memcpy(&word, &data->random[i], sizeof(word));
		crc = _mm_crc32_u64(crc, word);
	}
	return crc;
}

KERNEL uint64_t kernel_adler(struct data *data)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < N_BYTES; i++) {
		a += data->random[i];
		b += a;
	}
	return (uint64_t)(b % 65521) << 16 | a % 65521;
}

KERNEL uint64_t kernel_base64(struct data *data)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t *out = data->out;

	for (size_t i = 0; i + 3 <= N_BYTES; i += 3, out += 4) {
		uint32_t three = (uint32_t)data->random[i] << 16 | (uint32_t)data->random[i + 1] << 8 |
				 data->random[i + 2];

		out[0] = (uint8_t)digits[three >> 18];
		out[1] = (uint8_t)digits[three >> 12 & 63];
		out[2] = (uint8_t)digits[three >> 6 & 63];
		out[3] = (uint8_t)digits[three & 63];
	}
	return out[-1];
}

KERNEL uint64_t kernel_xorshift(struct data *data)
{
	uint64_t x = data->sorted[1] | 1;

	for (size_t i = 0; i < 1024; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

KERNEL uint64_t kernel_congruential(struct data *data)
{
	uint64_t x = data->sorted[1];

	for (size_t i = 0; i < 1024; i++)
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
	return x;
}

/* The quotient depends on the one before; operands as in the code of programs, small. */
KERNEL uint64_t kernel_divide(struct data *data)
{
	uint64_t x = 3;

	for (size_t i = 0; i < 512; i++)
		x = (data->sorted[i] + 1000000) / (x | 1) & 1023;
	return x;
}

__attribute__((target("popcnt"))) KERNEL uint64_t kernel_popcount(struct data *data)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < N_BYTES; i += 8) {
		uint64_t word;

		memcpy(&word, &data->random[i], sizeof(word));
		sum += (uint64_t)__builtin_popcountll(word);
	}
	return sum;
}

KERNEL uint64_t kernel_prefix_sum(struct data *data)
{
	uint32_t *out = (uint32_t *)data->out;

	out[0] = (uint32_t)data->ints[0];
	for (size_t i = 1; i < N_WORDS; i++)
		out[i] = out[i - 1] + (uint32_t)data->ints[i];
	return out[N_WORDS - 1];
}

KERNEL uint64_t kernel_histogram(struct data *data)
{
	for (size_t i = 0; i < N_BYTES; i++)
		data->histogram[data->random[i]]++;
	return data->histogram[7];
}

/* Each word is read where the one before was written. */
KERNEL uint64_t kernel_through_memory(struct data *data)
{
	volatile uint64_t *cell = (volatile uint64_t *)data->out;

	for (size_t i = 0; i < 1024; i++)
		cell[0] = cell[0] * 3 + i;
	return cell[0];
}

KERNEL uint64_t kernel_maximum(struct data *data)
{
	int32_t most = INT32_MIN;

	for (size_t i = 0; i < N_WORDS; i++)
		most = data->ints[i] > most ? data->ints[i] : most;
	return (uint64_t)(uint32_t)most;
}

const struct kernel integer_kernels[] = {
	{"sum_int", kernel_sum_int, NULL},
	{"sum_int_avx2", kernel_sum_int_avx2, "avx2"},
	{"dot_int", kernel_dot_int, NULL},
	{"hash_bytes", kernel_hash_bytes, NULL},
	{"hash_words", kernel_hash_words, NULL},
	{"crc_table", kernel_crc_table, NULL},
	{"crc_sse42", kernel_crc_sse42, "sse4.2"},
	{"adler", kernel_adler, NULL},
	{"base64", kernel_base64, NULL},
	{"xorshift", kernel_xorshift, NULL},
	{"congruential", kernel_congruential, NULL},
	{"divide", kernel_divide, NULL},
	{"popcount", kernel_popcount, "popcnt"},
	{"prefix_sum", kernel_prefix_sum, NULL},
	{"histogram", kernel_histogram, NULL},
	{"through_memory", kernel_through_memory, NULL},
	{"maximum", kernel_maximum, NULL},
	{NULL, NULL, NULL},
};
