/* Straight-line runs of profiles made by hand. */
#include "costmodels/estimators/p5/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "code_profile.h"

static void check_runs(const struct profile *profile, uint32_t region, const struct run *expected, size_t n_expected)
{
	const struct profile_region *counts = &profile->regions[region];
	uint64_t *covered = xcalloc(counts->n_counts, sizeof(*covered));
	struct runs runs;

	runs_init(&runs, profile, region);
	assert_int_equal(runs.n_runs, n_expected);
	for (size_t i = 0; i < runs.n_runs; i++) {
		const struct run *run = &runs.runs[i];
		uint32_t at = run->first;

		if (run->from != expected[i].from || run->first != expected[i].first ||
		    run->n_insns != expected[i].n_insns || run->count != expected[i].count)
			fail_msg("run %zu: %lu times from %u, %u instructions from %u", i, (unsigned long)run->count,
				 run->first, run->n_insns, run->from);
		for (uint32_t k = 0; k < run->n_insns; k++, at = runs.next[at])
			covered[at] += run->count;
	}
	for (size_t i = 0; i < counts->n_counts; i++)
		assert_int_equal(covered[i], counts->executions[i]);
	runs_deinit(&runs);
	free(covered);
}

/* Two visits to a loop of three rounds; one visit ends a NOP earlier than the other. */
static void loop(void **state)
{
	struct profile profile;
	uint32_t region, mov, inc, dec, jnz, nop, last;
	const struct run expected[] = {
		{3, 1, 3, 4}, /* jumped back */
		{3, 4, 1, 1}, /* fell out, and there the visit ended */
		{3, 4, 2, 1},
		{PROFILE_NONE, 0, 4, 2}, /* visits */
	};

	(void)state;
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	mov = add_code(&profile, region, 0x1000, "b9 03 00 00 00", 2);
	inc = add_code(&profile, region, 0x1005, "ff c0", 6);
	dec = add_code(&profile, region, 0x1007, "ff c9", 6);
	jnz = add_code(&profile, region, 0x1009, "75 fa", 6);
	nop = add_code(&profile, region, 0x100b, "90", 2);
	last = add_code(&profile, region, 0x100c, "90", 1);
	profile_count_edge(&profile, region, jnz, inc, 4);
	assert_int_equal(mov + dec + nop + last, 0 + 2 + 4 + 5);
	check_runs(&profile, region, expected, ARRAY_LENGTH(expected));
	profile_deinit(&profile);
}

/* A jump into the middle of code that is also reached by falling through, and a call that returns after it. */
static void shared(void **state)
{
	struct profile profile;
	uint32_t region, call, ret, jz, target;
	const struct run expected[] = {
		{1, 4, 2, 10}, /* call to the function */
		{5, 2, 1, 10}, /* return */
		{2, 0, 2, 3},  /* jz to the first instruction */
		{PROFILE_NONE, 0, 2, 5},
		{PROFILE_NONE, 1, 1, 2}, /* visits that began at the call */
	};

	(void)state;
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	target = add_code(&profile, region, 0x2000, "ff c0", 8);
	call = add_code(&profile, region, 0x2002, "e8 f9 0f 00 00", 10);
	jz = add_code(&profile, region, 0x2007, "74 f7", 10);
	add_code(&profile, region, 0x5000, "90", 0);
	add_code(&profile, region, 0x3000, "ff c1", 10);
	ret = add_code(&profile, region, 0x3002, "c3", 10);
	profile_count_edge(&profile, region, call, 4, 10);
	profile_count_edge(&profile, region, ret, jz, 10);
	profile_count_edge(&profile, region, jz, target, 3);
	check_runs(&profile, region, expected, ARRAY_LENGTH(expected));
	profile_deinit(&profile);
}

/* An address with two instructions: each one is part of a run as often as it executed. Invalid bytes and gaps end a
 * run. */
static void changed_code(void **state)
{
	struct profile profile;
	uint32_t region;
	const struct run expected[] = {
		{PROFILE_NONE, 0, 1, 2}, /* the first successor executed only 3 times */
		{PROFILE_NONE, 0, 2, 3}, {PROFILE_NONE, 2, 1, 2}, {PROFILE_NONE, 3, 1, 1}, {PROFILE_NONE, 4, 1, 1},
	};

	(void)state;
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	add_code(&profile, region, 0x1000, "90", 5);
	add_code(&profile, region, 0x1001, "ff c0", 3);
	add_code(&profile, region, 0x1001, "ff c1", 2);
	add_code(&profile, region, 0x1010, "", 1);
	add_code(&profile, region, 0x1020, "90", 1);
	check_runs(&profile, region, expected, ARRAY_LENGTH(expected));
	profile_deinit(&profile);
}

/* Inconsistent counts never give more runs than executions. */
static void inconsistent(void **state)
{
	struct profile profile;
	uint32_t region;
	const struct run expected[] = {
		{0, 0, 1, 2},
		{0, 1, 1, 2},
		{PROFILE_NONE, 0, 1, 2},
	};

	(void)state;
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	add_code(&profile, region, 0x1000, "eb fe", 4);
	add_code(&profile, region, 0x1002, "90", 2);
	profile_count_edge(&profile, region, 0, 0, 2);
	profile_count_edge(&profile, region, 0, 1, UINT64_MAX);
	profile_count_edge(&profile, region, 7, 1, 1);
	check_runs(&profile, region, expected, ARRAY_LENGTH(expected));
	profile_deinit(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loop),
		cmocka_unit_test(shared),
		cmocka_unit_test(changed_code),
		cmocka_unit_test(inconsistent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
