/* Decoding of log records: with and without AVX-512, with and without addresses. */
#include "engine/translate/log/log_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"

static void resolve(void *context, uint32_t shape)
{
	struct log_shapes *shapes = context;

	assert_int_equal(shape, 1);
	shapes->shapes[1] = (struct log_shape){.first_block = 1, .n_blocks = 2, .first_sum = 8, .n_sums = 3};
}

/* Shape 0 stands for block 1, whose two addresses are logged. Shape 1, which is resolved when it is read, stands for
 * block 1 and then block 0, which has one address: all but the second one are made of one logged address; the second
 * one is 5, made of the head and a constant. */
static void read_records(bool by_avx512)
{
	struct profile_block profile_blocks[] = {{.n_addresses = 1}, {.n_addresses = 2}};
	const struct profile profile = {.blocks = profile_blocks, .n_blocks = 2};
	uint32_t blocks[] = {1, 1, 0};
	int64_t sums[2 * LOG_GROUP] = {1, 2, [LOG_GROUP] = -3 * 256 | 1, (5 - (1 << 8 | 1)) * 256, 100 * 256 | 1};
	struct log_shape known[] = {{.first_block = 0, .n_blocks = 1, .first_sum = 0, .n_sums = 2}, {0}};
	struct log_shapes shapes = {.shapes = known, .blocks = blocks, .sums = sums, .resolve = resolve};
	const uint64_t records[] = {1 << 8 | 1, 10, 0 << 8 | 2, 12, 13, 1 << 8 | 1, 14};
	const uint32_t heads[] = {1 << 8 | 2, 0 << 8 | 1};
	const uint32_t order[] = {1, 0, 1, 1, 0}, addresses[][2] = {{7, 5}, {110}, {12, 13}, {11, 5}, {114}};
	struct stream_batch batch = {.source = &shapes.source,
				     .encoded = (const uint8_t *)records,
				     .n_encoded_bytes = sizeof(records)};
	struct stream_cursor cursor;

	log_reader_init(&shapes);
	shapes.source.has_addresses = true;
	shapes.by_avx512 = by_avx512;
	shapes.context = &shapes;
	cursor = stream_begin(&profile, &batch);
	assert_true(stream_has_addresses(&batch));
	for (size_t i = 0; i < ARRAY_LENGTH(order); i++) {
		assert_true(stream_next(&cursor));
		assert_int_equal(cursor.block, order[i]);
		for (size_t k = 0; k < profile_blocks[order[i]].n_addresses; k++)
			assert_int_equal(cursor.addresses[k], addresses[i][k]);
	}
	assert_false(stream_next(&cursor));
	shapes.source.has_addresses = false;
	batch.encoded = (const uint8_t *)heads;
	batch.n_encoded_bytes = sizeof(heads);
	cursor = stream_begin(&profile, &batch);
	for (size_t i = 0; i < 3; i++) {
		assert_true(stream_next(&cursor));
		assert_int_equal(cursor.block, order[i]);
		assert_null(cursor.addresses);
	}
	assert_false(stream_next(&cursor));
}

static void records_are_read(void **state)
{
	(void)state;
	read_records(false);
	read_records(log_reader_has_avx512());
}

enum { N_LONG = 21, N_RECORDS = 3 * LOG_CHUNK_RECORDS + 1, RECORD_WORDS = 1 + LOG_LOGGED_MAX };

/* Each record has as many logged addresses as possible, and addresses made of each of these and of the head. The
 * memory ends with the last record. */
static void read_long_records(bool by_avx512)
{
	struct profile_block profile_block = {.n_addresses = N_LONG};
	const struct profile profile = {.blocks = &profile_block, .n_blocks = 1};
	uint32_t blocks[] = {0};
	int64_t sums[3 * LOG_GROUP] = {0};
	struct log_shape shape = {.n_blocks = 1, .n_sums = N_LONG};
	struct log_shapes shapes = {.shapes = &shape, .blocks = blocks, .sums = sums};
	uint64_t *records = malloc(sizeof(*records) * N_RECORDS * RECORD_WORDS);
	struct stream_batch batch = {.source = &shapes.source,
				     .encoded = (const uint8_t *)records,
				     .n_encoded_bytes = sizeof(*records) * N_RECORDS * RECORD_WORDS};
	struct stream_cursor cursor;

	assert_non_null(records);
	log_reader_init(&shapes);
	shapes.source.has_addresses = true;
	shapes.by_avx512 = by_avx512;
	cursor = stream_begin(&profile, &batch);
	for (uint64_t i = 0; i < N_RECORDS; i++) {
		records[i * RECORD_WORDS] = LOG_LOGGED_MAX;
		for (uint64_t k = 1; k < RECORD_WORDS; k++)
			records[i * RECORD_WORDS + k] = i << 32 | k << 60;
	}
	for (int64_t k = 0; k < N_LONG; k++)
		sums[k] = (k - 10) * 1000000 * 256 | k % RECORD_WORDS;
	for (uint64_t i = 0; i < N_RECORDS; i++) {
		assert_true(stream_next(&cursor));
		for (uint64_t k = 0; k < N_LONG; k++)
			assert_int_equal(cursor.addresses[k],
					 records[i * RECORD_WORDS + k % RECORD_WORDS] + (k - 10) * 1000000);
	}
	assert_false(stream_next(&cursor));
	free(records);
}

static void long_records_are_read(void **state)
{
	(void)state;
	read_long_records(false);
	read_long_records(log_reader_has_avx512());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_read),
		cmocka_unit_test(long_records_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
