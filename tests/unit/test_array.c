#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"

static void the_first_item_not_below_is_found(void **state)
{
	const struct {
		uint64_t key;
		char rest[3];
	} items[] = {{2, ""}, {4, ""}, {4, ""}, {UINT64_MAX, ""}};
	static const struct {
		uint64_t key;
		size_t index;
	} answers[] = {{0, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 3}, {UINT64_MAX, 3}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(answers); i++)
		assert_int_equal(array_lower_bound(items, ARRAY_LENGTH(items), sizeof(items[0]), answers[i].key),
				 answers[i].index);
	assert_int_equal(array_lower_bound(items, 3, sizeof(items[0]), 5), 3);
	assert_int_equal(array_lower_bound(NULL, 0, sizeof(items[0]), 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_item_not_below_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
