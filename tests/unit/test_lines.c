#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "source/address_map.h"
#include "source/source.h"

#define HELPER(name) HELPERS_DIR "/helper_lines_" name ".so"

static uint64_t find_va(const char *path, const char *name)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const void *symbol;
	uint64_t va;
	Dl_info info;

	assert_non_null(library);
	symbol = dlsym(library, name);
	assert_non_null(symbol);
	assert_true(dladdr(symbol, &info));
	va = (uintptr_t)symbol - (uintptr_t)info.dli_fbase;
	dlclose(library);
	return va;
}

static void assert_place(const char *file, uint32_t line, const char *expected_end, uint32_t expected_line)
{
	assert_non_null(file);
	assert_true(strlen(file) >= strlen(expected_end));
	assert_string_equal(file + strlen(file) - strlen(expected_end), expected_end);
	assert_null(strstr(file, ".."));
	assert_int_equal(line, expected_line);
}

/* The lines are those of helpers/lines.c. The compiler's folder makes relative names absolute. */
static void check_helper(const char *path)
{
	struct source *source = source_create();
	struct source_line line;

	assert_true(source_find_line(source, path, find_va(path, "at_outer"), &line));
	assert_string_equal(line.file, "/nowhere/outer.c");
	assert_int_equal(line.line, 33);
	assert_int_equal(line.n_calls, 0);

	assert_true(source_find_line(source, path, find_va(path, "at_middle"), &line));
	assert_place(line.file, line.line, "/middle.h", 23);
	assert_int_equal(line.file[0], '/');
	assert_int_equal(line.n_calls, 1);
	assert_string_equal(line.calls[0].function, "middle");
	assert_place(line.calls[0].file, line.calls[0].line, "/nowhere/outer.c", 32);

	assert_true(source_find_line(source, path, find_va(path, "at_inner"), &line));
	assert_place(line.file, line.line, "/inner.h", 12);
	assert_int_equal(line.n_calls, 2);
	assert_string_equal(line.calls[0].function, "middle");
	assert_place(line.calls[0].file, line.calls[0].line, "/nowhere/outer.c", 32);
	assert_string_equal(line.calls[1].function, "inner");
	assert_place(line.calls[1].file, line.calls[1].line, "/middle.h", 22);
	source_destroy(source);
}

static void every_version_is_read(void **state)
{
	(void)state;
	check_helper(HELPER("dwarf2"));
	check_helper(HELPER("dwarf3"));
	check_helper(HELPER("dwarf4"));
	check_helper(HELPER("dwarf5"));
}

static void split_files_are_found(void **state)
{
	(void)state;
	check_helper(HELPER("split4"));
	check_helper(HELPER("split5"));
}

static void debug_files_are_found(void **state)
{
	(void)state;
	check_helper(HELPERS_DIR "/linked_lines.so");
}

static void columns_are_those_of_the_tokens(void **state)
{
	struct source *source = source_create();
	struct source_line line;
	const char *path = HELPER("dwarf5");

	(void)state;
	assert_true(source_find_line(source, path, find_va(path, "at_inner"), &line));
	assert_int_equal(line.column, 2); /* after the tab */
	assert_int_equal(line.calls[1].column, 2);
	source_destroy(source);
}

static void what_is_unknown_is_said(void **state)
{
	struct source *source = source_create();
	struct source_line line = {.line = 77};

	(void)state;
	assert_false(source_find_line(source, HELPER("without"), find_va(HELPER("without"), "at_outer"), &line));
	assert_false(source_find_line(source, HELPER("dwarf5"), 1, &line));
	assert_false(source_find_line(source, HELPER("dwarf5"), UINT64_MAX, &line));
	assert_false(source_find_line(source, "/dev/null", 0, &line));
	assert_false(source_find_line(source, "/nowhere", 0, &line));
	assert_false(source_find_line(source, __FILE__, 0, &line));
	assert_int_equal(line.line, 77);
	source_destroy(source);
}

static void forgotten_lines_are_found_again(void **state)
{
	struct source *source = source_create();
	const char *path = HELPER("dwarf5");
	uint64_t va = find_va(path, "at_outer");
	struct source_line line;

	(void)state;
	source_release_lines(source, path);
	assert_true(source_find_line(source, path, va, &line));
	source_release_lines(source, path);
	assert_true(source_find_line(source, path, va, &line));
	assert_string_equal(line.file, "/nowhere/outer.c");
	source_destroy(source);
}

static void the_innermost_range_is_found(void **state)
{
	struct address_map map = {0};

	(void)state;
	address_map_add(&map, &(struct address_range){10, 50, 1, 0});
	address_map_add(&map, &(struct address_range){10, 20, 2, 1}); /* begins with its outer range */
	address_map_add(&map, &(struct address_range){15, 20, 3, 2}); /* ends with its outer range */
	address_map_add(&map, &(struct address_range){30, 50, 4, 1});
	address_map_add(&map, &(struct address_range){60, 60, 5, 0}); /* empty */
	address_map_add(&map, &(struct address_range){70, 80, 6, 0});
	address_map_add(&map, &(struct address_range){75, 90, 7, 0}); /* overlaps */
	address_map_arrange(&map);
	assert_int_equal(address_map_find(&map, 9), ADDRESS_NONE);
	assert_int_equal(address_map_find(&map, 10), 2);
	assert_int_equal(address_map_find(&map, 15), 3);
	assert_int_equal(address_map_find(&map, 20), 1);
	assert_int_equal(address_map_find(&map, 49), 4);
	assert_int_equal(address_map_find(&map, 50), ADDRESS_NONE);
	assert_int_equal(address_map_find(&map, 60), ADDRESS_NONE);
	assert_int_equal(address_map_find(&map, 74), 6);
	assert_int_equal(address_map_find(&map, 80), 7);
	assert_int_equal(address_map_find(&map, 90), ADDRESS_NONE);
	assert_int_equal(address_map_find(&map, UINT64_MAX), ADDRESS_NONE);
	address_map_deinit(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_version_is_read),	cmocka_unit_test(split_files_are_found),
		cmocka_unit_test(debug_files_are_found),	cmocka_unit_test(columns_are_those_of_the_tokens),
		cmocka_unit_test(what_is_unknown_is_said),	cmocka_unit_test(forgotten_lines_are_found_again),
		cmocka_unit_test(the_innermost_range_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
