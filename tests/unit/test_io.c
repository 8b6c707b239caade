#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "savefile/io.h"

/* A reader of one column. */
static struct io reader_of(const char *bytes, size_t n_bytes)
{
	struct io io = {.is_reading = true, .n_content_bytes = 1000, .memory_left_bytes = 1000};

	io.columns[COLUMN_NOTES] = (struct io_column){.bytes = (uint8_t *)bytes, .n_bytes = n_bytes};
	return io;
}

/* LEB128: seven bits a byte, low ones first; 300 = 2 x 128 + 44. Signed numbers are 0, -1, 1, -2 ... Indices are 1
 * more, as differences. */
static void numbers_are_as_documented(void **state)
{
	static const uint8_t expected[] = {0x00, 0x7f, 0xac, 0x02, 0x00, 0x01, 0x02, 0x03, 0xff, 0xff, 0xff,
					   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x01, 0x00, 0x04, 0x01};
	static const int64_t integers[] = {0, -1, 1, -2, INT64_MIN};
	const struct io_column *column;
	struct io io, back;

	(void)state;
	io_begin_writing(&io);
	column = &io.columns[COLUMN_NOTES];
	io_uint(&io, COLUMN_NOTES, 0, 0);
	io_uint(&io, COLUMN_NOTES, 127, 127);
	io_uint(&io, COLUMN_NOTES, 300, 300);
	for (size_t i = 0; i < 5; i++)
		io_int(&io, COLUMN_NOTES, integers[i], sizeof(int64_t));
	io_difference(&io, COLUMN_NOTES, 6, 7, UINT64_MAX);
	io_index(&io, COLUMN_NOTES, PROFILE_NONE, PROFILE_NONE, 0);
	io_index(&io, COLUMN_NOTES, 5, 3, 6);
	io_index(&io, COLUMN_NOTES, PROFILE_NONE, 0, 6);
	assert_null(io.problem);
	assert_int_equal(column->n_bytes, sizeof(expected));
	assert_memory_equal(column->bytes, expected, sizeof(expected));
	back = reader_of((const char *)column->bytes, column->n_bytes);
	assert_int_equal(io_uint(&back, COLUMN_NOTES, 9, 0), 0);
	assert_int_equal(io_uint(&back, COLUMN_NOTES, 9, 127), 127);
	assert_int_equal(io_uint(&back, COLUMN_NOTES, 9, 300), 300);
	for (size_t i = 0; i < 5; i++)
		assert_true(io_int(&back, COLUMN_NOTES, 9, sizeof(int64_t)) == integers[i]);
	assert_int_equal(io_difference(&back, COLUMN_NOTES, 9, 7, UINT64_MAX), 6);
	assert_int_equal(io_index(&back, COLUMN_NOTES, 9, PROFILE_NONE, 0), PROFILE_NONE);
	assert_int_equal(io_index(&back, COLUMN_NOTES, 9, 3, 6), 5);
	assert_int_equal(io_index(&back, COLUMN_NOTES, 9, 0, 6), PROFILE_NONE);
	io_end_reading(&back);
	assert_null(back.problem);
	free(column->bytes);
}

static void check_bad_number(const char *bytes, size_t n_bytes, uint64_t max, const char *problem)
{
	struct io io = reader_of(bytes, n_bytes);

	assert_int_equal(io_uint(&io, COLUMN_NOTES, 9, max), 0);
	assert_string_equal(io.problem, problem);
	/* From now on every value is empty. */
	assert_int_equal(io_uint(&io, COLUMN_NOTES, 9, UINT64_MAX), 0);
	assert_int_equal(io_index(&io, COLUMN_NOTES, 9, PROFILE_NONE, 9), PROFILE_NONE);
	assert_string_equal(io_text(&io, COLUMN_NOTES, NULL), "");
}

static void bad_numbers_fail(void **state)
{
	struct io io;

	(void)state;
	check_bad_number("", 0, UINT64_MAX, "a column ends too early");
	check_bad_number("\x80", 1, UINT64_MAX, "a column ends too early");
	check_bad_number("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, UINT64_MAX, "a number has more than 64 bits");
	check_bad_number("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, UINT64_MAX,
			 "a number has more than 64 bits");
	check_bad_number("\6abc", 4, 5, "a number is out of range");
	io = reader_of("\xff\xff\xff\xff\x0f", 5); /* -2^31 */
	assert_int_equal(io_int(&io, COLUMN_NOTES, 9, sizeof(int32_t)), INT32_MIN);
	io = reader_of("\x80\x80\x80\x80\x10", 5); /* 2^31 */
	assert_int_equal(io_int(&io, COLUMN_NOTES, 9, sizeof(int32_t)), 0);
	assert_string_equal(io.problem, "a number is out of range");
}

static void a_number_out_of_range_is_found_when_writing(void **state)
{
	struct io io;

	(void)state;
	io_begin_writing(&io);
	io_uint(&io, COLUMN_NOTES, 6, 5);
	assert_string_equal(io.problem, "a number is out of range");
	free(io.columns[COLUMN_NOTES].bytes);
}

static void texts_are_whole_or_fail(void **state)
{
	struct io io = reader_of("a\xff"
				 "c\0d",
				 5);
	char bytes[2];

	(void)state;
	assert_string_equal(io_text(&io, COLUMN_NOTES, NULL), "a\xff"
							      "c");
	assert_string_equal(io_text(&io, COLUMN_NOTES, NULL), "");
	assert_string_equal(io.problem, "a column ends too early");
	io = reader_of("a", 1);
	io_bytes(&io, COLUMN_NOTES, bytes, 2);
	assert_string_equal(io.problem, "a column ends too early");
}

static void memory_has_a_limit(void **state)
{
	struct io io = reader_of("\4", 1);
	size_t n_rows = 0, capacity = 0;
	void *rows;

	(void)state;
	assert_true(io_charge(&io, 10, 50));
	rows = io_rows(&io, COLUMN_NOTES, NULL, &n_rows, &capacity, 125);
	assert_int_equal(n_rows, 4);
	assert_int_equal(io.memory_left_bytes, 0);
	assert_false(io_charge(&io, 1, 1));
	assert_string_equal(io.problem, "it needs too much memory");
	io = reader_of("", 0);
	assert_false(io_charge(&io, SIZE_MAX / 2, 3));
	free(rows);
}

static void check_bad_columns(uint8_t *content, size_t n_bytes, const char *problem)
{
	struct io io;

	io_begin_reading(&io, content, n_bytes);
	io_end_reading(&io);
	assert_string_equal(io.problem, problem);
}

static void columns_are_whole_or_fail(void **state)
{
	struct io io;
	uint8_t *content;
	size_t n_bytes;

	(void)state;
	io_begin_writing(&io);
	io_uint(&io, COLUMN_NOTES, 1, 1);
	content = io_end_writing(&io, &n_bytes);
	check_bad_columns(content, n_bytes, "bytes are left over"); /* the number was not read */
	check_bad_columns(content, n_bytes - 1, "a column ends too early");
	check_bad_columns(content, 3, "a column ends too early");
	content[0]--;
	check_bad_columns(content, n_bytes, "its number of columns is wrong");
	content[0]++;
	content[1 + COLUMN_NOTES]--;
	check_bad_columns(content, n_bytes, "bytes are left over");
	free(content);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_documented),
		cmocka_unit_test(bad_numbers_fail),
		cmocka_unit_test(a_number_out_of_range_is_found_when_writing),
		cmocka_unit_test(texts_are_whole_or_fail),
		cmocka_unit_test(memory_has_a_limit),
		cmocka_unit_test(columns_are_whole_or_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
