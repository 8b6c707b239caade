#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>

#include "base/array.h"
#include "elf/file.h"

static bool accept_all(const char *symbol, void *context)
{
	(void)symbol;
	(void)context;
	return true;
}

static bool is_named(const char *symbol, void *context)
{
	return strcmp(symbol, context) == 0;
}

static void functions_of(const char *path, elf_symbol_predicate *matches, const void *context,
			 struct function_list *list)
{
	struct error err = {0};
	struct elf_file *file = elf_file_open(path, &err);

	assert_non_null(file);
	elf_file_functions_init(file, matches, (void *)(uintptr_t)context, list);
	elf_file_close(file);
}

/* helpers/notes.S: functions and code labels of any binding, but no data. */
static void test_all(void **state)
{
	static const struct {
		uint64_t file_va, size_bytes;
		const char *symbol;
	} expected[] = {
		{0x401000, 0, "_start"},     {0x401002, 0, "label"},	   {0x401004, 4, "main"},
		{0x401004, 0, "weak_label"}, {0x401006, 0, "local_label"}, {0x401008, 7, "static_function"},
	};
	struct function_list list;

	(void)state;
	functions_of(HELPERS_DIR "/notes", accept_all, NULL, &list);
	assert_int_equal(list.n_functions, ARRAY_LENGTH(expected));
	for (size_t i = 0; i < ARRAY_LENGTH(expected); i++) {
		assert_int_equal(list.functions[i].file_va, expected[i].file_va);
		assert_int_equal(list.functions[i].size_bytes, expected[i].size_bytes);
		assert_string_equal(list.functions[i].symbol, expected[i].symbol);
		assert_false(list.functions[i].is_ifunc);
	}
	elf_file_functions_deinit(&list);
	assert_int_equal(list.n_functions, 0);
}

/* The functions of notes.S before linking. 0x401000 is the file offset of its code. */
static void test_of_object(void **state)
{
	static const struct {
		uint64_t offset, size_bytes;
		const char *symbol;
	} expected[] = {{0, 0, "_start"},     {2, 0, "label"},	     {4, 4, "main"},
			{4, 0, "weak_label"}, {6, 0, "local_label"}, {8, 7, "static_function"}};
	const struct elf_segment *segments;
	struct function_list list;
	struct error err = {0};
	struct elf_file *file;
	size_t n_segments;

	(void)state;
	assert_null(elf_file_open(HELPERS_DIR "/notes.o", &err));
	assert_non_null(strstr(err.text, "not linked yet"));
	file = elf_file_open_any(HELPERS_DIR "/notes.o", &err);
	assert_non_null(file);
	segments = elf_file_segments(file, &n_segments);
	assert_int_equal(n_segments, 1);
	assert_int_equal(segments[0].file_va, segments[0].offset_bytes);
	elf_file_functions_init(file, accept_all, NULL, &list);
	assert_int_equal(list.n_functions, ARRAY_LENGTH(expected));
	for (size_t i = 0; i < ARRAY_LENGTH(expected); i++) {
		assert_int_equal(list.functions[i].file_va, segments[0].file_va + expected[i].offset);
		assert_int_equal(list.functions[i].size_bytes, expected[i].size_bytes);
		assert_string_equal(list.functions[i].symbol, expected[i].symbol);
	}
	elf_file_functions_deinit(&list);
	elf_file_close(file);
}

static void test_by_name(void **state)
{
	struct function_list list;

	(void)state;
	functions_of(HELPERS_DIR "/marked_pie", is_named, "marked_work", &list);
	assert_int_equal(list.n_functions, 1);
	assert_string_equal(list.functions[0].symbol, "marked_work");
	assert_true(list.functions[0].size_bytes > 0);
	elf_file_functions_deinit(&list);

	functions_of(HELPERS_DIR "/marked_pie", is_named, "printf", &list); /* undefined here */
	assert_int_equal(list.n_functions, 0);
	elf_file_functions_deinit(&list);

	functions_of(HELPERS_DIR "/marked_stripped", is_named, "marked_work", &list);
	assert_int_equal(list.n_functions, 0);
	elf_file_functions_deinit(&list);

	functions_of(HELPERS_DIR "/helper_marked.so", is_named, "marked_work", &list); /* in both tables */
	assert_int_equal(list.n_functions, 1);
	elf_file_functions_deinit(&list);
}

static void test_ifunc(void **state)
{
	struct function_list list;
	Dl_info libc;

	(void)state;
	assert_int_not_equal(dladdr((void *)(uintptr_t)gnu_get_libc_version, &libc), 0);
	functions_of(libc.dli_fname, is_named, "strlen", &list);
	assert_true(list.n_functions >= 1);
	assert_true(list.functions[0].is_ifunc);
	elf_file_functions_deinit(&list);

	functions_of(libc.dli_fname, is_named, "gnu_get_libc_version", &list);
	assert_int_equal(list.n_functions, 1);
	assert_false(list.functions[0].is_ifunc);
	assert_int_equal(list.functions[0].file_va, (uintptr_t)gnu_get_libc_version - (uintptr_t)libc.dli_fbase);
	elf_file_functions_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_of_object),
		cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_ifunc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
