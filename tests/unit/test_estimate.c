#include "model_fixture.h"

#include "costmodels/estimate.h"

/* Ranked by throughput; XOR only for registers of another width, nothing for CPUID. */
#define TOY                                \
	HEADER "clock_mhz = 2000\n"        \
	       "[forms]\n"                 \
	       "ADD r64, r64 | 1 | 0.25\n" \
	       "MOV r64, m64 | 5 | 0.5\n"  \
	       "XOR r64, r64 | 1 | 0.333\n"

#define ADD "\x48\x01\xd8" /* add rax, rbx */
#define MOV "\x48\x8b\x03" /* mov rax, [rbx] */
#define XOR "\x31\xd8"	   /* xor eax, ebx */
#define CPUID "\x0f\xa2"
#define REP_STOSB "\xf3\xaa"

static uint32_t add_insn(struct profile *profile, const char *bytes, uint64_t va)
{
	uint32_t form = profile_intern_form(profile, (const uint8_t *)bytes, strlen(bytes));
	struct profile_insn *insn = ARRAY_ADD(profile, insns);

	*insn = (struct profile_insn){.va = va, .form = form, .module = PROFILE_NONE, .function = PROFILE_NONE};
	insn->length = (uint8_t)strlen(bytes);
	return (uint32_t)profile->n_insns - 1;
}

static void sums(void **state)
{
	struct model *model = load_text(TOY);
	struct profile profile;
	struct estimate estimate;
	struct profile_groups groups;
	uint32_t region, other;
	uint64_t unknown;

	(void)state;
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	other = profile_intern_region(&profile, "b", PROFILE_NONE);
	profile_count(&profile, region, add_insn(&profile, ADD, 0x1000), 1000, 0);
	profile_count(&profile, region, add_insn(&profile, MOV, 0x1003), 100, 0);
	profile_count(&profile, region, add_insn(&profile, ADD, 0x1006), 24, 0); /* the form again */
	profile_count(&profile, region, add_insn(&profile, XOR, 0x1009), 10, 0);
	profile_count(&profile, region, add_insn(&profile, CPUID, 0x100b), 7, 0);
	profile_count(&profile, other, add_insn(&profile, MOV, 0x100d), 1000000, 0);

	estimate_region_init(&estimate, model, &profile, region);
	assert_ptr_equal(estimate.model, model);
	assert_string_equal(estimate.estimator, "table");
	assert_int_equal(estimate.n_forms, 4);
	/* 1024 ADD at 1, 100 MOV at 5, 10 XOR at 1 */
	assert_int_equal(estimate.latency_mcyc, 1534000);
	/* 1024 at 0.25, 100 at 0.5, 10 at 0.333 */
	assert_int_equal(estimate.throughput_mcyc, 256000 + 50000 + 3330);
	assert_int_equal(estimate.ranked_mcyc, 309330);
	assert_int_equal(estimate.time_ns, 155); /* 309.33 cycles of 0.5 ns: 154.665 */
	assert_int_equal(estimate.exact, 1124);
	assert_int_equal(estimate.fallback, 10);
	assert_int_equal(estimate.unknown, 7);

	profile_group_init(&groups, &profile, region, GROUP_BY_MNEMONIC);
	assert_int_equal(groups.n_groups, 4);
	for (size_t i = 0; i < groups.n_groups; i++) {
		const struct profile_group *group = &groups.groups[i];
		mcyc_t mcyc = estimate_group_mcyc(&estimate, group, &unknown);

		assert_int_equal(estimate_group_mcyc(&estimate, group, NULL), mcyc);
		if (strcmp(group->name, "ADD") == 0)
			assert_int_equal(mcyc, 256000);
		else if (strcmp(group->name, "CPUID") == 0)
			assert_int_equal(mcyc, 0);
		assert_int_equal(unknown, strcmp(group->name, "CPUID") == 0 ? 7 : 0);
	}
	profile_group_deinit(&groups);
	estimate_region_deinit(&estimate);
	profile_deinit(&profile);
	model_destroy(model);
}

/* A fill of 512 bytes, which the reference has at 247 cycles: 52 + 512 * 0.381; 45 ns a cycle. */
static void iterations(void **state)
{
	struct error err = {0};
	struct model *model = model_load(MODELS_DIR "/vax8800.cost", &err);
	struct profile profile;
	struct estimate estimate;
	uint32_t region;

	(void)state;
	assert_non_null(model);
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	profile_count(&profile, region, add_insn(&profile, REP_STOSB, 0x1000), 1, 512);
	estimate_region_init(&estimate, model, &profile, region);
	assert_int_equal(estimate.latency_mcyc, 247072);
	assert_int_equal(estimate.throughput_mcyc, 247072);
	assert_int_equal(estimate.ranked_mcyc, 247072);
	assert_int_equal(estimate.time_ns, 11118); /* the reference: 11.14 us */
	assert_int_equal(estimate.exact, 1);
	estimate_region_deinit(&estimate);
	profile_deinit(&profile);
	model_destroy(model);
}

/* Without executions nothing is costed, and without a clock there is no time. */
static void nothing(void **state)
{
	struct model *model = load_text(HEADER "[forms]\nADD r64, r64 | 1 | 1\n");
	struct profile profile;
	struct estimate estimate;
	uint32_t region, busy;

	(void)state;
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	busy = profile_intern_region(&profile, "b", PROFILE_NONE);
	profile_count(&profile, busy, add_insn(&profile, ADD, 0x1000), 5, 0);
	estimate_region_init(&estimate, model, &profile, region);
	assert_int_equal(estimate.ranked_mcyc, 0);
	assert_int_equal(estimate.exact + estimate.fallback + estimate.unknown, 0);
	estimate_region_deinit(&estimate);
	estimate_region_init(&estimate, model, &profile, busy);
	assert_int_equal(estimate.ranked_mcyc, 5000);
	assert_int_equal(estimate.time_ns, 0);
	estimate_region_deinit(&estimate);
	profile_deinit(&profile);
	model_destroy(model);
}

/* The largest total that fits: counts above 2^32 do not wrap. */
static void large_counts(void **state)
{
	struct model *model = load_text(TOY);
	struct profile profile;
	struct estimate estimate;
	uint32_t region;

	(void)state;
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	profile_count(&profile, region, add_insn(&profile, ADD, 0x1000), 9223372036854775, 0);
	estimate_region_init(&estimate, model, &profile, region);
	assert_int_equal(estimate.latency_mcyc, 9223372036854775000);
	assert_int_equal(estimate.throughput_mcyc, 2305843009213693750);
	estimate_region_deinit(&estimate);
	profile_deinit(&profile);
	model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),
		cmocka_unit_test(iterations),
		cmocka_unit_test(nothing),
		cmocka_unit_test(large_counts),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
