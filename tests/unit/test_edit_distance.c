#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/edit_distance.h"

static void check(const char *a, const char *b, size_t distance)
{
	assert_int_equal(edit_distance(a, b), distance);
	assert_int_equal(edit_distance(b, a), distance);
}

static void each_letter_counts_once(void **state)
{
	(void)state;
	check("", "", 0);
	check("", "top", 3);
	check("record", "record", 0);
	check("Record", "rECORD", 0);
	check("recor", "record", 1);
	check("rexord", "record", 1);
	check("kitten", "sitting", 3); /* k-s, e-i, +g */
	check("flaw", "lawn", 2);
}

static void a_swap_of_neighbours_is_one_edit(void **state)
{
	(void)state;
	check("recrod", "record", 1);
	check("hxe", "hex", 1);
	check("ab", "ba", 1);
	check("ca", "abc", 3); /* 2 only if a letter can be edited twice */
	check("badc", "abcd", 2);
}

static void very_long_names_are_far_from_all(void **state)
{
	char name[65] = "";

	(void)state;
	for (size_t i = 0; i < 63; i++)
		name[i] = 'x';
	assert_int_equal(edit_distance(name, "x"), 62);
	name[63] = 'x';
	assert_true(edit_distance(name, "x") == SIZE_MAX);
	assert_true(edit_distance(name, name) == SIZE_MAX);
	assert_false(edit_is_typo(name, name));
}

static void slips_are_mostly_right(void **state)
{
	(void)state;
	assert_true(edit_is_typo("recrod", "record"));
	assert_true(edit_is_typo("anotat", "annotate"));
	assert_true(edit_is_typo("bi", "by"));
	assert_false(edit_is_typo("it", "by"));
	assert_false(edit_is_typo("x", "y"));
	assert_false(edit_is_typo("recall", "record"));
	assert_false(edit_is_typo("", "by"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_letter_counts_once),
		cmocka_unit_test(a_swap_of_neighbours_is_one_edit),
		cmocka_unit_test(very_long_names_are_far_from_all),
		cmocka_unit_test(slips_are_mostly_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
