#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/escape.h"

static void check(const char *raw, enum escape_for use, const char *expected)
{
	char *text = escape_text(raw, use);

	assert_string_equal(text, expected);
	free(text);
}

static void plain_text_stays(void **state)
{
	(void)state;
	check("", ESCAPE_FOR_TERMINAL, "");
	check("std::vector<int>::operator[] \\n", ESCAPE_FOR_TERMINAL, "std::vector<int>::operator[] \\n");
	check("gr\xc3\xb6\xc3\x9f"
	      "e \xe2\x82\xac \xf0\x9f\x98\x80",
	      ESCAPE_FOR_TERMINAL,
	      "gr\xc3\xb6\xc3\x9f"
	      "e \xe2\x82\xac \xf0\x9f\x98\x80");
	check("\xf4\x8f\xbf\xbf", ESCAPE_FOR_JSON, "\xf4\x8f\xbf\xbf"); /* U+10FFFF */
}

static void control_characters_never_reach_a_terminal(void **state)
{
	(void)state;
	check("a\033[2Jb\r\n\t\177", ESCAPE_FOR_TERMINAL, "a\\x1B[2Jb\\x0D\\x0A\\x09\\x7F");
	check("\xc2\x9b"
	      "31m",
	      ESCAPE_FOR_TERMINAL, "\\xC2\\x9B31m"); /* U+009B, a control sequence introducer of one character */
	check("\xe2\x80\xae", ESCAPE_FOR_TERMINAL, "\\xE2\\x80\\xAE"); /* U+202E, right-to-left override */
	check("\xe2\x80\xa8\xe2\x81\xa6", ESCAPE_FOR_TERMINAL, "\\xE2\\x80\\xA8\\xE2\\x81\\xA6");
}

static void json_keeps_control_characters(void **state)
{
	(void)state;
	check("a\033\n\xc2\x9b\xe2\x80\xae", ESCAPE_FOR_JSON, "a\033\n\xc2\x9b\xe2\x80\xae");
}

static void bytes_that_are_no_utf8_are_shown(void **state)
{
	static const struct {
		const char *raw, *expected;
	} rows[] = {
		{"\xff", "\\xFF"},
		{"\x80", "\\x80"},
		{"\xc3", "\\xC3"},			      /* cut */
		{"\xe2\x82", "\\xE2\\x82"},		      /* cut */
		{"\xc3z", "\\xC3z"},			      /* cut by a letter, which stays */
		{"\xc0\xaf", "\\xC0\\xAF"},		      /* '/', overlong */
		{"\xe0\x80\xaf", "\\xE0\\x80\\xAF"},	      /* '/', overlong */
		{"\xf0\x82\x82\xac", "\\xF0\\x82\\x82\\xAC"}, /* the euro sign, overlong */
		{"\xed\xa0\x80", "\\xED\\xA0\\x80"},	      /* a surrogate */
		{"\xf4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"}, /* above U+10FFFF */
		{"\xf5\x80\x80\x80", "\\xF5\\x80\\x80\\x80"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		check(rows[i].raw, ESCAPE_FOR_TERMINAL, rows[i].expected);
		check(rows[i].raw, ESCAPE_FOR_JSON, rows[i].expected);
	}
}

static void columns_are_characters(void **state)
{
	(void)state;
	assert_int_equal(escape_count_columns(""), 0);
	assert_int_equal(escape_count_columns("abc"), 3);
	assert_int_equal(escape_count_columns("\xc3\xb6\xe2\x82\xac\xf0\x9f\x98\x80"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays),
		cmocka_unit_test(control_characters_never_reach_a_terminal),
		cmocka_unit_test(json_keeps_control_characters),
		cmocka_unit_test(bytes_that_are_no_utf8_are_shown),
		cmocka_unit_test(columns_are_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
