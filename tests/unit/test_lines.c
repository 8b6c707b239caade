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
#include "source/dwarf_paths.h"
#include "source/line_header.h"
#include "source/source.h"
#include "source/spans.h"

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

/* The lines are those of helpers/lines.c. Relative names are joined with the folder of the compiler, so they are absolute. */
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
	assert_int_equal(line.column, 2); /* behind the tab */
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
	source_forget_lines(source, path);
	assert_true(source_find_line(source, path, va, &line));
	source_forget_lines(source, path);
	assert_true(source_find_line(source, path, va, &line));
	assert_string_equal(line.file, "/nowhere/outer.c");
	source_destroy(source);
}

static void paths_are_cleaned(void **state)
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
		char *clean = dwarf_paths_clean(paths[i][0]);

		assert_string_equal(clean, paths[i][1]);
		free(clean);
	}
}

static void assert_joined(const char *folder, const char *path, const char *expected)
{
	char *joined = dwarf_paths_join(folder, path);

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

static void the_innermost_span_is_found(void **state)
{
	struct spans spans = {0};

	(void)state;
	spans_add(&spans, 10, 50, 1, 0);
	spans_add(&spans, 10, 20, 2, 1); /* begins with the one around it */
	spans_add(&spans, 15, 20, 3, 2); /* ends with the one around it */
	spans_add(&spans, 30, 50, 4, 1);
	spans_add(&spans, 60, 60, 5, 0); /* empty */
	spans_add(&spans, 70, 80, 6, 0);
	spans_add(&spans, 75, 90, 7, 0); /* overlaps */
	spans_arrange(&spans);
	assert_int_equal(spans_find(&spans, 9), SPAN_NONE);
	assert_int_equal(spans_find(&spans, 10), 2);
	assert_int_equal(spans_find(&spans, 15), 3);
	assert_int_equal(spans_find(&spans, 20), 1);
	assert_int_equal(spans_find(&spans, 49), 4);
	assert_int_equal(spans_find(&spans, 50), SPAN_NONE);
	assert_int_equal(spans_find(&spans, 60), SPAN_NONE);
	assert_int_equal(spans_find(&spans, 74), 6);
	assert_int_equal(spans_find(&spans, 80), 7);
	assert_int_equal(spans_find(&spans, 90), SPAN_NONE);
	assert_int_equal(spans_find(&spans, UINT64_MAX), SPAN_NONE);
	spans_deinit(&spans);
}

/* A table of DWARF 5 with a folder and two files, each a name of its own and a checksum: "a" 0x11 ..., "b" 0x22 ... */
static size_t make_header(uint8_t *bytes)
{
	static const uint8_t start[] = {0, 0, 0, 0, 5,	  0, 8, 0, 0, 0, 0, 0, 1, 1, 1, 0xfb, 14, 2, 0, /* one opcode */
					1, 1, 8, 1, '/',  0,						/* a folder */
					2, 1, 8, 5, 0x1e, 2};
	size_t n = sizeof(start);

	memcpy(bytes, start, sizeof(start));
	for (uint8_t i = 0; i < 2; i++) {
		bytes[n++] = (uint8_t)('a' + i);
		bytes[n++] = 0;
		memset(bytes + n, 0x11 * (i + 1), LINE_HEADER_MD5_BYTES);
		n += LINE_HEADER_MD5_BYTES;
	}
	bytes[0] = (uint8_t)(n - 4);
	return n;
}

static void checksums_are_those_of_the_table(void **state)
{
	struct line_header header;
	uint8_t bytes[128], *copy;
	size_t n_bytes = make_header(bytes);

	(void)state;
	line_header_parse(&header, bytes, n_bytes);
	assert_int_equal(header.n_bytes, n_bytes - 4);
	assert_int_equal(header.n_md5, 2);
	assert_int_equal(header.md5[0][0], 0x11);
	assert_int_equal(header.md5[1][15], 0x22);
	line_header_deinit(&header);
	for (size_t n = 0; n < n_bytes; n++) {
		copy = malloc(n ? n : 1); /* so that a sanitizer sees each byte too far */
		assert_non_null(copy);
		memcpy(copy, bytes, n);
		line_header_parse(&header, copy, n);
		assert_null(header.md5);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_version_is_read),   cmocka_unit_test(split_files_are_found),
		cmocka_unit_test(debug_files_are_found),   cmocka_unit_test(columns_are_those_of_the_tokens),
		cmocka_unit_test(what_is_unknown_is_said), cmocka_unit_test(forgotten_lines_are_found_again),
		cmocka_unit_test(paths_are_cleaned),	   cmocka_unit_test(checksums_are_those_of_the_table),
		cmocka_unit_test(paths_are_joined_once),   cmocka_unit_test(the_innermost_span_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
