#include "recorders/caches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stream_fixture.h"

static const struct cache_geometry geometry = {.entries = {8, 64, 512, 4, 16}, .ways = {8, 8, 8, 4, 16}};
static const struct cache_geometry other = {.entries = {64, 64, 512, 4, 16}, .ways = {64, 8, 8, 4, 16}};

struct code {
	struct profile profile;
	uint32_t region, nested;
	uint32_t load, store, copy; /* instructions, a block each */
};

static void make(struct code *code)
{
	profile_init(&code->profile);
	code->region = profile_intern_region(&code->profile, "a", PROFILE_NONE);
	code->nested = profile_intern_region(&code->profile, "b", PROFILE_NONE);
	code->load = add_code(&code->profile, code->region, 0x1000, "8b 07", 0);
	code->store = add_code(&code->profile, code->region, 0x1002, "89 07", 0);
	code->copy = add_code(&code->profile, code->region, 0x1004, "f3 a4", 0);
}

static void run(struct code *code, struct cache_recorder *recorder, uint32_t insn, size_t n_regions,
		const uint64_t *words, size_t n_words)
{
	const uint32_t regions[] = {code->region, code->nested}, block = add_block(&code->profile, insn, 1);
	const struct stream_batch batch = {.regions = regions,
					   .n_regions = n_regions,
					   .blocks = &block,
					   .n_blocks = 1,
					   .addresses = words,
					   .n_addresses = n_words};

	cache_recorder_add_batch(recorder, &code->profile, &batch);
}

static uint64_t misses(const struct code *code, uint32_t region, size_t cache, enum profile_miss miss, uint32_t insn)
{
	return profile_get_misses(&code->profile.regions[region], cache, miss, insn);
}

/* A store brings in a line without a count, and a load then hits it. A load that crosses two lines misses twice. */
static void loads_count_where_they_were_executed(void **state)
{
	struct cache_recorder *recorder = cache_recorder_create();
	struct code code;

	(void)state;
	make(&code);
	cache_recorder_add_geometry(recorder, &geometry);
	cache_recorder_add_geometry(recorder, &geometry);
	cache_recorder_add_geometry(recorder, &other);
	run(&code, recorder, code.store, 1, (uint64_t[]){0x10000}, 1);
	run(&code, recorder, code.load, 1, (uint64_t[]){0x10004}, 1);
	run(&code, recorder, code.load, 2, (uint64_t[]){0x2103e}, 1);
	assert_int_equal(code.profile.n_caches, 2);
	for (size_t cache = 0; cache < 2; cache++) {
		assert_int_equal(misses(&code, code.region, cache, MISS_SERVED_BY_MEMORY, code.store), 0);
		assert_int_equal(misses(&code, code.region, cache, MISS_SERVED_BY_MEMORY, code.load), 2);
		assert_int_equal(misses(&code, code.nested, cache, MISS_SERVED_BY_MEMORY, code.load), 2);
		assert_int_equal(misses(&code, code.region, cache, MISS_SERVED_BY_PAGE_TABLES, code.load), 1);
	}
	/* Eight more lines in other pages evict the first one from L1, but not from L2. */
	for (uint64_t i = 0; i < 8; i++)
		run(&code, recorder, code.store, 1, (uint64_t[]){0x50000 + i * 0x1040}, 1);
	run(&code, recorder, code.load, 1, (uint64_t[]){0x10000}, 1);
	assert_int_equal(misses(&code, code.region, 0, MISS_SERVED_BY_L2, code.load), 1);
	assert_int_equal(misses(&code, code.region, 1, MISS_SERVED_BY_L2, code.load), 0);
	assert_int_equal(misses(&code, code.region, 0, MISS_SERVED_BY_STLB, code.load), 1);
	cache_recorder_destroy(recorder);
	profile_deinit(&code.profile);
}

/* Downward, 128 bytes that end at 0x30040 and 0x40040 span three lines each, which count for the source alone. With 0
 * iterations, in either direction, nothing is accessed. */
static void rep_goes_through_all_its_lines(void **state)
{
	struct cache_recorder *recorder = cache_recorder_create();
	struct code code;

	(void)state;
	make(&code);
	cache_recorder_add_geometry(recorder, &geometry);
	run(&code, recorder, code.copy, 1, (uint64_t[]){0x40040, 0x30040, 0}, 3);
	assert_int_equal(misses(&code, code.region, 0, MISS_SERVED_BY_MEMORY, code.copy), 0);
	run(&code, recorder, code.copy, 1, (uint64_t[]){0x40040, 0x30040, (uint64_t)-128}, 3);
	assert_int_equal(misses(&code, code.region, 0, MISS_SERVED_BY_MEMORY, code.copy), 3);
	cache_recorder_destroy(recorder);
	profile_deinit(&code.profile);
}

/* The thread's lines disappear; another thread's lines stay. */
static void a_thread_that_ended_leaves_no_core(void **state)
{
	struct cache_recorder *recorder = cache_recorder_create(), *like;
	struct code code;

	(void)state;
	make(&code);
	cache_recorder_add_geometry(recorder, &geometry);
	like = cache_recorder_create_like(recorder);
	run(&code, like, code.load, 1, (uint64_t[]){0x10000}, 1);
	run(&code, like, code.load, 1, (uint64_t[]){0x10000}, 1);
	assert_int_equal(misses(&code, code.region, 0, MISS_SERVED_BY_MEMORY, code.load), 1);
	cache_recorder_end_thread(like, 7);
	run(&code, like, code.load, 1, (uint64_t[]){0x10000}, 1);
	assert_int_equal(misses(&code, code.region, 0, MISS_SERVED_BY_MEMORY, code.load), 1);
	cache_recorder_end_thread(like, 0);
	run(&code, like, code.load, 1, (uint64_t[]){0x10000}, 1);
	assert_int_equal(misses(&code, code.region, 0, MISS_SERVED_BY_MEMORY, code.load), 2);
	cache_recorder_destroy(recorder);
	cache_recorder_destroy(like);
	profile_deinit(&code.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_count_where_they_were_executed),
		cmocka_unit_test(rep_goes_through_all_its_lines),
		cmocka_unit_test(a_thread_that_ended_leaves_no_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
