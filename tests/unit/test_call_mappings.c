#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recorders/call_mappings.h"

#define N_SITES 4

struct fixture {
	struct call_mappings mappings;
	struct profile_allocation sites[N_SITES];
};

static void add(struct fixture *fixture, uint32_t site, uint64_t va, uint64_t bytes)
{
	call_mappings_add(&fixture->mappings, fixture->sites, site, va, bytes);
}

static uint64_t take(struct fixture *fixture, uint64_t va, uint64_t bytes)
{
	return call_mappings_remove(&fixture->mappings, fixture->sites, va, bytes);
}

static void check(const struct fixture *fixture, uint32_t site, uint64_t kept_calls, uint64_t kept_bytes)
{
	assert_int_equal(fixture->sites[site].kept_calls, kept_calls);
	assert_int_equal(fixture->sites[site].kept_bytes, kept_bytes);
}

static void what_is_taken_is_no_longer_kept(void **state)
{
	struct fixture fixture = {0};

	(void)state;
	assert_int_equal(take(&fixture, 0, UINT64_MAX), 0);
	add(&fixture, 1, 0x5000, 0x1000);
	add(&fixture, 0, 0x1000, 0x2000);
	check(&fixture, 0, 1, 0x2000);
	check(&fixture, 1, 1, 0x1000);
	/* Memory outside both, then all of one mapping. */
	assert_int_equal(take(&fixture, 0x3000, 0x2000), 0);
	assert_int_equal(take(&fixture, 0x1000, 0x2000), 0x2000);
	check(&fixture, 0, 0, 0);
	check(&fixture, 1, 1, 0x1000);
	assert_int_equal(take(&fixture, 0x1000, 0x2000), 0);
	call_mappings_deinit(&fixture.mappings);
}

/* 0x1000 to 0x9000: without 0x3000 to 0x4000, then without its beginning, its end, and the rest together with a
 * neighbour. */
static void parts_of_a_mapping_are_one_call(void **state)
{
	struct fixture fixture = {0};

	(void)state;
	add(&fixture, 0, 0x1000, 0x8000);
	assert_int_equal(take(&fixture, 0x3000, 0x1000), 0x1000);
	check(&fixture, 0, 1, 0x7000);
	assert_int_equal(take(&fixture, 0, 0x2000), 0x1000);
	assert_int_equal(take(&fixture, 0x8000, 0x8000), 0x1000);
	check(&fixture, 0, 1, 0x5000);
	/* Into the hole. */
	add(&fixture, 1, 0x3000, 0x800);
	assert_int_equal(take(&fixture, 0x2000, 0x1000), 0x1000);
	check(&fixture, 0, 1, 0x4000);
	assert_int_equal(take(&fixture, 0x3400, 0x10000), 0x400 + 0x4000);
	check(&fixture, 0, 0, 0);
	check(&fixture, 1, 1, 0x400);
	call_mappings_deinit(&fixture.mappings);
}

/* The end of one mapping, two others whole, the beginning of a fourth. */
static void a_range_may_be_of_several(void **state)
{
	struct fixture fixture = {0};

	(void)state;
	for (uint32_t i = 0; i < N_SITES; i++)
		add(&fixture, i, 0x10000 * (i + 1), 0x8000);
	assert_int_equal(take(&fixture, 0x14000, 0x30000), 4 * 0x8000 - 0x4000 - 0x4000);
	check(&fixture, 0, 1, 0x4000);
	check(&fixture, 1, 0, 0);
	check(&fixture, 2, 0, 0);
	check(&fixture, 3, 1, 0x4000);
	assert_int_equal(fixture.mappings.n_ranges, 2);
	assert_int_equal(take(&fixture, 0, UINT64_MAX), 0x8000);
	assert_int_equal(fixture.mappings.n_ranges, 0);
	call_mappings_deinit(&fixture.mappings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_taken_is_no_longer_kept),
		cmocka_unit_test(parts_of_a_mapping_are_one_call),
		cmocka_unit_test(a_range_may_be_of_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
