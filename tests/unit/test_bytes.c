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
	return (struct byte_reader){.at = (const uint8_t *)bytes,
				    .end = (const uint8_t *)bytes + n_bytes,
				    .memory_left_bytes = 1000};
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
	assert_int_equal(bytes_get_limited(&reader, 5), 0);
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

/* Written with a coder, numbers and texts of all kinds come back, one behind the other. */
static void coded_values_come_back(void **state)
{
	static const uint64_t numbers[] = {0, 1, 2, 3, 7, 8, 255, 256, 65535, 1u << 20, UINT64_C(1) << 40, UINT64_MAX};
	struct byte_writer writer = {.coder = coder_create(CODER_MIN_SLOT_BITS, NULL, 0)};
	struct byte_reader reader = {.memory_left_bytes = 1000, .max_decisions = UINT64_MAX};
	struct hint hint = {1, 2, {5, 6}};
	const uint8_t *bytes;
	char raw[3], *text;
	size_t n_bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		bytes_put_uint(&writer, numbers[i]);
		bytes_io_int(&(struct bytes_io){.writer = &writer}, &hint, -(int64_t)numbers[i]);
	}
	bytes_put_text(&writer, "text\xff");
	bytes_put_text(&writer, "");
	bytes_put_raw(&writer, "\0\1", 3);
	bytes = coder_finish(writer.coder, &n_bytes);
	reader.coder = coder_create(CODER_MIN_SLOT_BITS, bytes, n_bytes);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		assert_true(bytes_get_uint(&reader) == numbers[i]);
		assert_true(bytes_io_int(&(struct bytes_io){.reader = &reader}, &hint, 0) == -(int64_t)numbers[i]);
	}
	text = bytes_get_text(&reader);
	assert_string_equal(text, "text\xff");
	free(text);
	text = bytes_get_text(&reader);
	assert_string_equal(text, "");
	free(text);
	bytes_get_raw(&reader, raw, 3);
	assert_memory_equal(raw, "\0\1", 3);
	assert_null(reader.problem);
	/* Four bytes more than were written cannot be had. */
	for (int i = 0; i < 100 && !reader.problem; i++)
		bytes_get_raw(&reader, raw, 3);
	assert_string_equal(reader.problem, "a number is cut or too large");
	coder_destroy(reader.coder);
	coder_destroy(writer.coder);
}

/* What would go on for ever, at next to no bytes a number, ends. */
static void coded_values_have_a_limit(void **state)
{
	struct byte_writer writer = {.coder = coder_create(CODER_MIN_SLOT_BITS, NULL, 0)};
	struct byte_reader reader = {.max_decisions = 10000};
	const uint8_t *bytes;
	size_t n_bytes, n = 0;

	(void)state;
	for (int i = 0; i < 100000; i++)
		bytes_put_uint(&writer, 0);
	bytes = coder_finish(writer.coder, &n_bytes);
	assert_in_range(n_bytes, 1, 100);
	reader.coder = coder_create(CODER_MIN_SLOT_BITS, bytes, n_bytes);
	for (; !reader.problem; n++)
		assert_int_equal(bytes_get_uint(&reader), 0);
	assert_in_range(n, 9000, 10001);
	assert_string_equal(reader.problem, "it is larger than any profile");
	coder_destroy(reader.coder);
	coder_destroy(writer.coder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_documented), cmocka_unit_test(bad_numbers_fail),
		cmocka_unit_test(texts_are_whole_or_fail),   cmocka_unit_test(memory_has_a_limit),
		cmocka_unit_test(coded_values_come_back),    cmocka_unit_test(coded_values_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
