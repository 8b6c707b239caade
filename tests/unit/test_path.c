#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"
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

static void paths_are_normalized(void **state)
{
	static const char *const paths[][2] = {
		{"/a/b.c", "/a/b.c"},
		{"/a//./b.c", "/a/b.c"},
		{"/a/../b.c", "/b.c"},
		{"/../b.c", "/../b.c"},
		{"./b.c", "b.c"},
		{"a/../../b.c", "../b.c"},
		{"../../b.c", "../../b.c"},
		{"a/..b/c", "a/..b/c"},
		{"a../../c", "c"},
		{"", ""},
		{"/", "/"},
		{"a/b/../../c/d", "c/d"},
		{"/a/b/c/../../d", "/a/d"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
		char *normal = path_normalize(paths[i][0]);

		assert_string_equal(normal, paths[i][1]);
		free(normal);
	}
}

static void assert_joined(const char *folder, const char *path, const char *expected)
{
	char *joined = path_join(folder, path);

	assert_string_equal(joined, expected);
	free(joined);
}

static void paths_are_joined_once(void **state)
{
	(void)state;
	assert_joined("/build", "../a.c", "/a.c");
	assert_joined("/build", "/b/../a.c", "/a.c");
	assert_joined("./string", "./string/a.c", "string/a.c");
	assert_joined("./string", "../sysdeps/a.c", "sysdeps/a.c");
	assert_joined(NULL, "./a.c", "a.c");
	assert_joined("", "a.c", "a.c");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_stands_behind_the_last_slash),
		cmocka_unit_test(paths_are_normalized),
		cmocka_unit_test(paths_are_joined_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
