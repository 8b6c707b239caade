/* Addresses in the syntax of --start and --stop. The known answers test the breakpoints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "regions/triggers.h"

static void addresses_are_hexadecimal_or_module_offsets(void **state)
{
	static const char *const good[] = {"0x1139", "1139", "7fffF7DD", "prog+0x10", "libz.so.1+0x2f40", "a+b+0x1"};
	static const char *const bad[] = {"", "0x", "main", "0x12g", "+0x10", "prog+", "prog+0xq", "-0x10", "0x10 "};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(trigger_address_check(good[i], &err));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err = (struct error){0};
		assert_false(trigger_address_check(bad[i], &err));
		assert_int_equal(err.kind, ERROR_USAGE);
		assert_non_null(strstr(err.text, "module+0xOFFSET"));
	}
}

static void all_triggers_of_an_address_are_found(void **state)
{
	struct trigger table[] = {
		{.va = 16, .kind = TRIGGER_FUNCTION},
		{.va = 32, .kind = TRIGGER_STOP},
		{.va = 32, .kind = TRIGGER_BEGIN},
		{.va = 48, .kind = TRIGGER_END},
	};
	const struct triggers triggers = {.triggers = table, .n_triggers = 4};
	const struct trigger *first;

	(void)state;
	assert_int_equal(triggers_at(&triggers, 32, &first), 2);
	assert_ptr_equal(first, &table[1]);
	assert_int_equal(triggers_at(&triggers, 48, &first), 1);
	assert_int_equal(triggers_at(&triggers, 33, &first), 0);
	assert_int_equal(triggers_at(&triggers, 0, &first), 0);
	assert_int_equal(triggers_at(&triggers, 64, &first), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_hexadecimal_or_module_offsets),
		cmocka_unit_test(all_triggers_of_an_address_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
