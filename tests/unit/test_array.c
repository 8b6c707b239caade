#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"

static void the_first_item_not_below_is_found(void **state)
{
	static const uint64_t items[] = {2, 4, 4, UINT64_MAX};
	static const struct {
		uint64_t key;
		size_t index;
	} answers[] = {{0, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 3}, {UINT64_MAX, 3}};

	(void)state;
	for (size_t k = 0; k < ARRAY_LENGTH(answers); k++)
		assert_int_equal(ARRAY_SEARCH(ARRAY_LENGTH(items), i, items[i] < answers[k].key), answers[k].index);
	assert_int_equal(ARRAY_SEARCH(3, i, items[i] < 5), 3);
	assert_int_equal(ARRAY_SEARCH(0, i, items[i] < 5), 0);
}

static void an_added_item_is_zeroed(void **state)
{
	struct {
		struct {
			int a, b;
		} * items;
		size_t n_items, items_capacity;
	} list = {0};

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 100; i++) {
			assert_int_equal(ARRAY_ADD(&list, items)->a, 0);
			assert_int_equal(list.items[i].b, 0);
			list.items[i].a = list.items[i].b = i + 1;
		}
		assert_int_equal(list.n_items, 100);
		for (int i = 0; i < 100; i++)
			assert_int_equal(list.items[i].a, i + 1);
		list.n_items = 0;
	}
	free(list.items);
}

static void a_table_is_zeroed_and_lies_on_whole_pages(void **state)
{
	enum { N_BYTES = 3 << 20, PAGE_BYTES = 4096 };
	uint8_t *table = table_create(N_BYTES);
	size_t n_set = 0;

	(void)state;
	for (size_t i = 0; i < N_BYTES; i++)
		n_set += table[i] != 0;
	assert_int_equal(n_set, 0);
	assert_int_equal((uintptr_t)table % PAGE_BYTES, 0);
	table[N_BYTES - 1] = 1;
	table_destroy(table, N_BYTES);
	table_destroy(NULL, N_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_item_not_below_is_found),
		cmocka_unit_test(an_added_item_is_zeroed),
		cmocka_unit_test(a_table_is_zeroed_and_lies_on_whole_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
