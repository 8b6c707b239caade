#include "engine/translate/addresses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N_MANY = 100000, DISTANCE = 3 };

static void nothing_is_known_at_first(void **state)
{
	struct addresses addresses = {0};
	const struct address *added;

	(void)state;
	assert_null(addresses_find(&addresses, 0));
	added = addresses_at(&addresses, 0);
	assert_int_equal(added->fragment, VA_MAP_NONE);
	assert_int_equal(added->link, VA_MAP_NONE);
	assert_int_equal(added->ibl_target, VA_MAP_NONE);
	assert_int_equal(added->flags_live, FLAGS_UNKNOWN);
	assert_int_equal(added->r11, R11_UNDECIDED);
	assert_ptr_equal(addresses_find(&addresses, 0), added);
	assert_null(addresses_find(&addresses, 1));
	addresses_deinit(&addresses);
}

/* More entries than the table has room for at first. */
static void each_of_many_is_found(void **state)
{
	struct addresses addresses = {0};

	(void)state;
	for (uint32_t i = 0; i < N_MANY; i++) {
		addresses_at(&addresses, (uint64_t)i * DISTANCE)->fragment = i;
		addresses_at(&addresses, (uint64_t)i * DISTANCE)->flags_live = 1;
	}
	assert_int_equal(addresses.n_list, N_MANY);
	for (uint32_t i = 0; i < N_MANY; i++) {
		assert_int_equal(addresses_find(&addresses, (uint64_t)i * DISTANCE)->fragment, i);
		assert_null(addresses_find(&addresses, (uint64_t)i * DISTANCE + 1));
	}
	addresses_forget_flags(&addresses);
	assert_int_equal(addresses_find(&addresses, DISTANCE)->flags_live, FLAGS_UNKNOWN);
	assert_int_equal(addresses_find(&addresses, DISTANCE)->fragment, 1);
	addresses_clear(&addresses);
	assert_null(addresses_find(&addresses, DISTANCE));
	assert_int_equal(addresses_at(&addresses, DISTANCE)->fragment, VA_MAP_NONE);
	addresses_deinit(&addresses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_at_first),
		cmocka_unit_test(each_of_many_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
