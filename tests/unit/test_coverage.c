#include "report_fixture.h"

#include "analysis/coverage.h"
#include "costmodels/estimators/estimate.h"

/* Every form falls back by one of three rules, or has no figure. */
#define FALLING_COST            \
	"itrace-cost-model 1\n" \
	"name = falling\n"      \
	"title = A CPU\n"       \
	"rank = throughput\n"   \
	"source = made up\n"    \
	"[forms]\n"             \
	"JNZ rel32 | 1 | 1\n"   \
	"ADD r8, r8 | 1 | 1\n"  \
	"SHL r64, imm32 | 1 | 1\n"

static void rules_and_unknown_forms(void **state)
{
	struct model *model = make_model(FALLING_COST, NULL);
	struct profile_groups forms;
	struct coverage coverage;
	struct estimate estimate;
	struct profile profile;

	(void)state;
	make_profile(&profile);
	estimate_region_init(&estimate, model, &profile, 0);
	profile_group_init(&forms, &profile, 0, GROUP_BY_FORM);
	coverage_init(&coverage, &estimate, &forms);
	assert_int_equal(coverage.n_rules, 3);
	assert_string_equal(coverage.rules[0].text, "operand of another width");
	assert_int_equal(coverage.rules[0].executions, 1000);
	assert_string_equal(coverage.rules[1].text, "branch distance of another width");
	assert_int_equal(coverage.rules[1].executions, 300);
	assert_string_equal(coverage.rules[2].text, "immediate of another width");
	assert_int_equal(coverage.rules[2].executions, 100);
	assert_int_equal(coverage.n_unknown, 3);
	assert_string_equal(coverage.unknown[0].text, "MOVZX r32, m8");
	assert_int_equal(coverage.unknown[0].executions, 400);
	assert_string_equal(coverage.unknown[1].text, "PXOR xmm, xmm");
	assert_int_equal(coverage.unknown[2].executions, 2);
	assert_int_equal(estimate.fallback, 1400);
	assert_int_equal(estimate.unknown, 452);
	coverage_deinit(&coverage);
	profile_group_deinit(&forms);
	estimate_region_deinit(&estimate);
	profile_deinit(&profile);
	model_destroy(model);
}

/* DIV has 35 cycles of latency: 1.6 x 10^13 of them are a sixteenth of 2^63 milli-cycles. */
static void sums_that_are_too_large(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;
	struct error err = {0};
	uint32_t region, insn;

	(void)state;
	profile_init(&profile);
	region = make_region(&profile, "long", PROFILE_NONE);
	insn = make_insn(&profile, "DIV r64", "binary", "base", PROFILE_NONE);
	profile_count(&profile, region, insn, UINT64_C(10000000000000), 0);
	assert_true(estimate_check_overflow(model, &profile, region, &err));
	profile_count(&profile, region, insn, UINT64_C(10000000000000), 0);
	assert_false(estimate_check_overflow(model, &profile, region, &err));
	assert_string_equal(err.text, "region 'long' would take more cycles on fast than itrace can count");
	profile_deinit(&profile);
	model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_and_unknown_forms),
		cmocka_unit_test(sums_that_are_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
