#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/bytes.h"

static struct byte_reader reader_of(const char *bytes, size_t n_bytes)
{
	return (struct byte_reader){(const uint8_t *)bytes, (const uint8_t *)bytes + n_bytes, 1000, NULL};
}

/* LEB128: seven bits a byte, low ones first; 300 = 2 x 128 + 44. Signed ones as 0, -1, 1, -2 ... */
static void numbers_are_as_documented(void **state)
{
	static const uint8_t expected[] = {0x00, 0x7f, 0xac, 0x02, 0x00, 0x01, 0x02, 0x03, 0xff,
					   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
	struct byte_writer writer = {0};
	struct byte_reader reader;

	(void)state;
	bytes_put_uint(&writer, 0);
	bytes_put_uint(&writer, 127);
	bytes_put_uint(&writer, 300);
	bytes_put_int(&writer, 0);
	bytes_put_int(&writer, -1);
	bytes_put_int(&writer, 1);
	bytes_put_int(&writer, -2);
	bytes_put_int(&writer, INT64_MIN);
	assert_int_equal(writer.n_bytes, sizeof(expected));
	assert_memory_equal(writer.bytes, expected, sizeof(expected));
	reader = reader_of((const char *)writer.bytes, writer.n_bytes);
	assert_int_equal(bytes_get_uint(&reader), 0);
	assert_int_equal(bytes_get_uint(&reader), 127);
	assert_int_equal(bytes_get_uint(&reader), 300);
	assert_int_equal(bytes_get_int(&reader), 0);
	assert_int_equal(bytes_get_int(&reader), -1);
	assert_int_equal(bytes_get_int(&reader), 1);
	assert_int_equal(bytes_get_int(&reader), -2);
	assert_true(bytes_get_int(&reader) == INT64_MIN);
	assert_null(reader.problem);
	assert_ptr_equal(reader.at, reader.end);
	free(writer.bytes);
}

static void check_bad_number(const char *bytes, size_t n_bytes)
{
	struct byte_reader reader = reader_of(bytes, n_bytes);

	assert_int_equal(bytes_get_uint(&reader), 0);
	assert_non_null(reader.problem);
	/* From now on nothing comes. */
	assert_int_equal(bytes_get_uint(&reader), 0);
	assert_null(bytes_get_raw(&reader, 0));
}

static void bad_numbers_fail(void **state)
{
	(void)state;
	check_bad_number("", 0);
	check_bad_number("\x80", 1);
	check_bad_number("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10); /* 2^65 - 1 */
	check_bad_number("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11);
}

static void check_bad_text(const char *bytes, size_t n_bytes, const char *problem)
{
	struct byte_reader reader = reader_of(bytes, n_bytes);
	char *text = bytes_get_text(&reader);

	assert_string_equal(text, "");
	assert_string_equal(reader.problem, problem);
	free(text);
}

static void texts_are_whole_or_fail(void **state)
{
	struct byte_reader reader = reader_of("\x03"
					      "a\xff"
					      "cd",
					      5);
	char *text = bytes_get_text(&reader);

	(void)state;
	assert_string_equal(text, "a\xff"
				  "c");
	assert_int_equal(*reader.at, 'd');
	free(text);
	check_bad_text("\x03"
		       "ab",
		       3, "more is announced than follows");
	check_bad_text("\x03"
		       "a\0c",
		       4, "a text holds a zero byte");
}

static void memory_has_a_limit(void **state)
{
	struct byte_reader reader = reader_of("\x04"
					      "aaaa",
					      5);

	(void)state;
	assert_true(bytes_charge(&reader, 10, 50));
	assert_int_equal(reader.memory_left_bytes, 500);
	assert_int_equal(bytes_get_number(&reader, 1, 125), 4);
	assert_int_equal(reader.memory_left_bytes, 0);
	assert_false(bytes_charge(&reader, 1, 1));
	assert_non_null(reader.problem);
	reader = reader_of("", 0);
	assert_false(bytes_charge(&reader, SIZE_MAX / 2, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_documented),
		cmocka_unit_test(bad_numbers_fail),
		cmocka_unit_test(texts_are_whole_or_fail),
		cmocka_unit_test(memory_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
