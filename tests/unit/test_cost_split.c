#include "report_fixture.h"

#include "analysis/costs.h"

/* 1,000 cycles over 7, and large counts: no part is lost and none counts twice. The first form has no figure for a
 * part that the model estimates, like a pipeline; the second has that of a related form. */
static void parts_add_up(void **state)
{
	enum { WIDTH = 4, UNKNOWN = 2, FALLBACK = 3 };
	static const uint64_t parts[] = {1, 2, 3, 1};
	uint64_t executions[] = {7, INT64_MAX};
	mcyc_t mcyc[] = {1000, INT64_MAX};
	struct cost costs[] = {{.match = COST_UNKNOWN}, {.match = COST_FALLBACK}};
	struct profile_insn insns[] = {{.form = 0}, {.form = 1}};
	const struct profile profile = {.insns = insns, .n_insns = 2};
	const struct estimate estimate = {.insn_mcyc = mcyc, .n_insns = 2, .costs = costs, .n_forms = 2};
	const struct profile_region region = {.executions = executions, .n_counts = 2};
	const struct costed_region costed = {&profile, 0, &region, &estimate, 1};
	uint64_t sums[WIDTH] = {0};
	struct cost_split split;

	(void)state;
	assert_int_equal(cost_width(1), WIDTH);
	cost_split_init(&split, &costed);
	for (size_t i = 0; i < ARRAY_LENGTH(parts); i++) {
		uint64_t part[WIDTH] = {0};

		cost_split_add(&split, 0, parts[i], part);
		assert_int_equal(part[COST_EXECUTIONS], parts[i]);
		assert_in_range(part[COST_CYCLES], 1000 * parts[i] / 7, 1000 * parts[i] / 7 + 1);
		assert_int_equal(part[UNKNOWN], parts[i]);
		assert_int_equal(cost_cycle_sum(part, 1, 0).kind, CYCLE_SUM_UNKNOWN);
		cost_add(sums, part, 1);
	}
	assert_int_equal(sums[COST_EXECUTIONS], 7);
	assert_int_equal(sums[COST_CYCLES], 1000);
	assert_int_equal(cost_unknown(sums, 1, 0), 7);
	memset(sums, 0, sizeof(sums));
	cost_split_add(&split, 1, INT64_MAX / 2, sums);
	assert_int_equal(sums[COST_CYCLES], INT64_MAX / 2);
	cost_split_add(&split, 1, INT64_MAX - INT64_MAX / 2, sums);
	assert_int_equal(sums[COST_CYCLES], INT64_MAX);
	assert_int_equal(sums[UNKNOWN], 0);
	assert_int_equal(sums[FALLBACK], INT64_MAX);
	assert_int_equal(cost_cycle_sum(sums, 1, 0).kind, CYCLE_SUM_FALLBACK);
	cost_split_deinit(&split);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_add_up)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
