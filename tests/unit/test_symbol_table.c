#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "source/symbol_table.h"

static void add(struct symbol_table *table, uint64_t start_va, uint64_t size_bytes, const char *name,
		enum symbol_rank rank)
{
	struct symbol *symbol = ARRAY_ADD(table, symbols);

	symbol->start_va = start_va;
	symbol->end_va = size_bytes ? start_va + size_bytes : 0x1000; /* the section's end */
	symbol->has_size = size_bytes > 0;
	symbol->name = name ? xstrdup(name) : NULL;
	symbol->rank = rank;
}

static void assert_found(const struct symbol_table *table, uint64_t file_va, const char *name)
{
	uint64_t offset = 77;
	const char *found = symbol_table_find(table, file_va, &offset);

	if (!name) {
		assert_null(found);
		assert_int_equal(offset, 77);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, name);
}

static void test_empty(void **state)
{
	struct symbol_table table = {0};

	(void)state;
	symbol_table_arrange(&table);
	assert_found(&table, 0, NULL);
	symbol_table_deinit(&table);
}

static void test_gaps(void **state)
{
	struct symbol_table table = {0};

	(void)state;
	add(&table, 0x200, 0x10, "second", SYMBOL_LOCAL);
	add(&table, 0x100, 0x10, "first", SYMBOL_GLOBAL);
	add(&table, 0x110, 0x8, "adjacent", SYMBOL_GLOBAL);
	symbol_table_arrange(&table);
	assert_found(&table, 0xff, NULL);
	assert_found(&table, 0x100, "first");
	assert_found(&table, 0x10f, "first");
	assert_found(&table, 0x110, "adjacent");
	assert_found(&table, 0x117, "adjacent");
	assert_found(&table, 0x118, NULL);
	assert_found(&table, 0x200, "second");
	assert_found(&table, 0x20f, "second");
	assert_found(&table, 0x210, NULL);
	assert_found(&table, UINT64_MAX, NULL);
	symbol_table_deinit(&table);
}

/* outer [100, 180) holds inner [120, 140), which ends with innermost [130, 140). late [170, 190) ends after outer. */
static void test_nested(void **state)
{
	struct symbol_table table = {0};

	(void)state;
	add(&table, 0x100, 0x80, "outer", SYMBOL_GLOBAL);
	add(&table, 0x120, 0x20, "inner", SYMBOL_GLOBAL);
	add(&table, 0x130, 0x10, "innermost", SYMBOL_GLOBAL);
	add(&table, 0x170, 0x20, "late", SYMBOL_GLOBAL);
	symbol_table_arrange(&table);
	assert_found(&table, 0x11f, "outer");
	assert_found(&table, 0x120, "inner");
	assert_found(&table, 0x12f, "inner");
	assert_found(&table, 0x130, "innermost");
	assert_found(&table, 0x13f, "innermost");
	assert_found(&table, 0x140, "outer");
	assert_found(&table, 0x16f, "outer");
	assert_found(&table, 0x170, "late");
	assert_found(&table, 0x18f, "late");
	assert_found(&table, 0x190, NULL);
	symbol_table_deinit(&table);
}

static void test_unsized(void **state)
{
	struct symbol_table table = {0};

	(void)state;
	add(&table, 0x100, 0, "start", SYMBOL_LABEL);
	add(&table, 0x200, 0x20, "sized", SYMBOL_GLOBAL);
	add(&table, 0x210, 0, "within", SYMBOL_LABEL);
	add(&table, 0x300, 0, "last", SYMBOL_LABEL);
	symbol_table_arrange(&table);
	assert_found(&table, 0x1ff, "start");
	assert_found(&table, 0x200, "sized");
	assert_found(&table, 0x210, "sized");
	assert_found(&table, 0x220, NULL);
	assert_found(&table, 0xfff, "last");
	assert_found(&table, 0x1000, NULL);
	symbol_table_deinit(&table);
}

static void test_aliases(void **state)
{
	struct symbol_table table = {0};

	(void)state;
	add(&table, 0x100, 0, "unsized", SYMBOL_GLOBAL);
	add(&table, 0x100, 0x10, "a", SYMBOL_LOCAL);
	add(&table, 0x100, 0x10, "b", SYMBOL_WEAK);
	add(&table, 0x100, 0x10, "_IO_printf", SYMBOL_GLOBAL);
	add(&table, 0x100, 0x10, "printf", SYMBOL_GLOBAL);
	add(&table, 0x100, 0x10, "print_f", SYMBOL_GLOBAL);
	symbol_table_arrange(&table);
	assert_found(&table, 0x100, "printf");
	assert_int_equal(table.n_symbols, 6);
	assert_string_equal(symbol_table_name(&table, 0), "printf");
	assert_string_equal(symbol_table_name(&table, 5), "unsized");
	symbol_table_deinit(&table);
}

/* The last possible address. */
static void test_end_of_addresses(void **state)
{
	struct symbol_table table = {0};

	(void)state;
	add(&table, 0x10, UINT64_MAX - 0x10, "everything", SYMBOL_GLOBAL);
	add(&table, 0x20, 0x10, "inner", SYMBOL_GLOBAL);
	symbol_table_arrange(&table);
	assert_found(&table, 0x2f, "inner");
	assert_found(&table, 0x30, "everything");
	assert_found(&table, UINT64_MAX - 1, "everything");
	assert_found(&table, UINT64_MAX, NULL);
	symbol_table_deinit(&table);
}

static void test_shown(void **state)
{
	struct symbol_table table = {0};

	(void)state;
	add(&table, 0x100, 0x10, "_Z3fooi", SYMBOL_GLOBAL);
	add(&table, 0x200, 0x10, "_Z3fooi", SYMBOL_PLT);
	add(&table, 0x300, 0x10, "memcpy", SYMBOL_PLT);
	symbol_table_arrange(&table);
	assert_found(&table, 0x100, "foo(int)");
	assert_found(&table, 0x200, "foo(int)@plt");
	assert_found(&table, 0x300, "memcpy@plt");
	symbol_table_deinit(&table);
}

static void test_offsets(void **state)
{
	struct symbol_table table = {0};
	uint64_t offset;

	(void)state;
	add(&table, 0x100, 0x40, "outer", SYMBOL_GLOBAL);
	add(&table, 0x110, 0x10, "inner", SYMBOL_GLOBAL);
	symbol_table_arrange(&table);
	assert_string_equal(symbol_table_find(&table, 0x114, &offset), "inner");
	assert_int_equal(offset, 4);
	assert_string_equal(symbol_table_find(&table, 0x120, &offset), "outer");
	assert_int_equal(offset, 0x20);
	symbol_table_deinit(&table);
}

/* Symbols replace functions known only from the unwind table, but not symbols inside them, such as the entries of a
 * .plt. */
static void test_unnamed(void **state)
{
	struct symbol_table table = {.module = "gzip", .module_va = 0x80};

	(void)state;
	add(&table, 0x100, 0x20, NULL, SYMBOL_UNNAMED);
	add(&table, 0x100, 0, "label", SYMBOL_LABEL);
	add(&table, 0x200, 0x40, "function", SYMBOL_LOCAL);
	add(&table, 0x220, 0x20, NULL, SYMBOL_UNNAMED);
	add(&table, 0x300, 0x40, NULL, SYMBOL_UNNAMED);
	add(&table, 0x310, 0x10, "getenv", SYMBOL_PLT);
	symbol_table_arrange(&table);
	assert_found(&table, 0x110, "label");
	assert_found(&table, 0x230, "function");
	assert_found(&table, 0x300, "gzip+0x280");
	assert_found(&table, 0x30f, "gzip+0x280");
	assert_found(&table, 0x310, "getenv@plt");
	assert_found(&table, 0x33f, "gzip+0x280");
	assert_found(&table, 0x340, NULL);
	symbol_table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),	cmocka_unit_test(test_gaps),	cmocka_unit_test(test_nested),
		cmocka_unit_test(test_unsized), cmocka_unit_test(test_aliases), cmocka_unit_test(test_end_of_addresses),
		cmocka_unit_test(test_shown),	cmocka_unit_test(test_offsets), cmocka_unit_test(test_unnamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
