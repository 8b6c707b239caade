/* Caches small enough to be followed by hand. */
#include "costmodels/predictors/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_fixture.h"

#define LINE UINT64_C(64)
#define PAGE UINT64_C(4096)

/* L1: 4 lines in 2 sets. L2: 8 lines in 2 sets. L3: 16 lines, one set. TLBs: 2 pages and 4, one set each. */
static const struct cache_geometry small = {.entries = {4, 8, 16, 2, 4}, .ways = {2, 4, 16, 2, 4}};

enum found { IN_L1, IN_L2, IN_L3, IN_MEMORY };

static enum found access_at(struct cache *cache, uint64_t va)
{
	struct cache_found found = cache_access(cache, va);

	return found.in_memory ? IN_MEMORY : found.in_l3 ? IN_L3 : found.in_l2 ? IN_L2 : IN_L1;
}

static void the_one_used_longest_ago_goes(void **state)
{
	struct cache *cache = cache_create(&small);

	(void)state;
	/* Three lines of one set of L1 and L2: even numbers in different pages, so that no stream is detected. */
	assert_int_equal(access_at(cache, 0), IN_MEMORY);
	assert_int_equal(access_at(cache, PAGE), IN_MEMORY);
	assert_int_equal(access_at(cache, 0), IN_L1);
	assert_int_equal(access_at(cache, 2 * PAGE), IN_MEMORY);
	assert_int_equal(access_at(cache, 0), IN_L1);
	assert_int_equal(access_at(cache, PAGE), IN_L2); /* 2 * PAGE evicted it */
	assert_int_equal(access_at(cache, 2 * PAGE), IN_L2);
	/* Two more than L2 has ways; the oldest two are in L3. */
	for (uint64_t i = 3; i < 6; i++)
		assert_int_equal(access_at(cache, i * PAGE), IN_MEMORY);
	assert_int_equal(access_at(cache, 0), IN_L3);
	cache_destroy(cache);
}

static void bytes_of_a_line_are_one(void **state)
{
	struct cache *cache = cache_create(&small);

	(void)state;
	assert_int_equal(access_at(cache, 5 * LINE + 1), IN_MEMORY);
	assert_int_equal(access_at(cache, 5 * LINE + 63), IN_L1);
	assert_int_equal(access_at(cache, 5 * LINE), IN_L1);
	cache_destroy(cache);
}

static void pages_are_translated(void **state)
{
	struct cache *cache = cache_create(&small);

	(void)state;
	assert_true(cache_access(cache, 0).in_page_tables);
	assert_true(cache_access(cache, PAGE + LINE).in_page_tables);
	assert_false(cache_access(cache, 2 * LINE).in_page_tables);
	assert_true(cache_access(cache, 2 * PAGE).in_page_tables);
	assert_true(cache_access(cache, PAGE).in_stlb);
	assert_false(cache_access(cache, PAGE + 3 * LINE).in_stlb);
	cache_destroy(cache);
}

/* The third line in a row prefetches the next one. From then on all lines are present. */
static void streams_are_prefetched(void **state)
{
	static const struct cache_geometry large = {.entries = {512, 4096, 65536, 64, 1536}, .ways = {8, 8, 16, 4, 12}};
	struct cache *cache = cache_create(&large);
	unsigned n_misses = 0;

	(void)state;
	for (uint64_t i = 0; i < 32; i++)
		n_misses += access_at(cache, 10 * PAGE + i * LINE) != IN_L1;
	assert_int_equal(n_misses, 3);
	n_misses = 0;
	for (uint64_t i = 64; i-- > 32;)
		n_misses += access_at(cache, 20 * PAGE + i * LINE) != IN_L1;
	assert_int_equal(n_misses, 3);
	/* Every other line is no stream. */
	n_misses = 0;
	for (uint64_t i = 0; i < 32; i++)
		n_misses += access_at(cache, 30 * PAGE + i * 2 * LINE) != IN_L1;
	assert_int_equal(n_misses, 32);
	cache_destroy(cache);
}

static void geometry_comes_from_the_model(void **state)
{
	static const char sizes[] = HEADER "[parameters]\nl1d_kib = 32\nl1d_ways = 8\nl2_kib = 256\nl2_ways = 4\n"
					   "l3_kib = 8192\nl3_ways = 16\ndtlb_entries = 64\ndtlb_ways = 4\n"
					   "stlb_entries = 1536\nstlb_ways = 12\n[forms]\nNOP | 1 | 1\n";
	struct model *model = load_text(sizes);
	struct cache_geometry geometry;
	char text[CACHE_GEOMETRY_BYTES];

	(void)state;
	assert_true(cache_geometry_from_model(model, &geometry));
	cache_geometry_text(&geometry, text);
	assert_string_equal(text, "512/8 4096/4 131072/16 64/4 1536/12");
	model_destroy(model);
	model = load_text(HEADER "[parameters]\nl1d_kib = 32\n[forms]\nNOP | 1 | 1\n");
	assert_false(cache_geometry_from_model(model, &geometry));
	model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_one_used_longest_ago_goes), cmocka_unit_test(bytes_of_a_line_are_one),
		cmocka_unit_test(pages_are_translated),		 cmocka_unit_test(streams_are_prefetched),
		cmocka_unit_test(geometry_comes_from_the_model),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
