#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/path.h"

static void a_name_stands_behind_the_last_slash(void **state)
{
	const char *path = "/usr/lib/libc.so.6";

	(void)state;
	assert_ptr_equal(path_file_name(path), path + 9);
	assert_string_equal(path_file_name("libc.so.6"), "libc.so.6");
	assert_string_equal(path_file_name("a/b/"), "a/b/");
	assert_string_equal(path_file_name("/"), "/");
	assert_string_equal(path_file_name(""), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_stands_behind_the_last_slash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
