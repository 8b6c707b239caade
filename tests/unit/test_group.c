#include "report_fixture.h"

#include "hex.h"

struct expected_part {
	const char *form;
	uint64_t executions, iterations;
};

struct expected_group {
	const char *name;
	uint32_t module;
	uint64_t executions, iterations;
	size_t n_parts;
	struct expected_part parts[4];
};

static void check_groups(enum profile_group_by by, const struct expected_group *expected, size_t n_expected)
{
	struct profile profile;
	struct profile_groups groups;

	make_profile(&profile);
	profile_group_init(&groups, &profile, 0, by);
	assert_int_equal(groups.n_groups, n_expected);
	for (size_t i = 0; i < n_expected; i++) {
		const struct profile_group *group = &groups.groups[i];

		assert_string_equal(group->name, expected[i].name);
		assert_int_equal(group->module, expected[i].module);
		assert_int_equal(group->executions, expected[i].executions);
		assert_int_equal(group->iterations, expected[i].iterations);
		assert_int_equal(group->n_forms, expected[i].n_parts);
		for (size_t k = 0; k < group->n_forms; k++) {
			const struct form *form = &profile.forms[group->forms[k].form].form;

			assert_string_equal(form->text, expected[i].parts[k].form);
			assert_int_equal(group->forms[k].executions, expected[i].parts[k].executions);
			assert_int_equal(group->forms[k].iterations, expected[i].parts[k].iterations);
		}
	}
	profile_group_deinit(&groups);
	profile_deinit(&profile);
}

/* ADD executes at two addresses. DIV, which belongs to "binary" and "copy", never executes. */
static void by_form(void **state)
{
	static const struct expected_group expected[] = {
		{"ADD r64, r64", PROFILE_NONE, 1000, 0, 1, {{"ADD r64, r64", 1000, 0}}},
		{"MOVZX r32, m8", PROFILE_NONE, 400, 0, 1, {{"MOVZX r32, m8", 400, 0}}},
		{"JNZ rel8", PROFILE_NONE, 300, 0, 1, {{"JNZ rel8", 300, 0}}},
		{"SHL r64, imm8", PROFILE_NONE, 100, 0, 1, {{"SHL r64, imm8", 100, 0}}},
		{"PXOR xmm, xmm", PROFILE_NONE, 50, 0, 1, {{"PXOR xmm, xmm", 50, 0}}},
		{"REP STOSB m8", PROFILE_NONE, 2, 600, 1, {{"REP STOSB m8", 2, 600}}},
	};

	(void)state;
	check_groups(GROUP_BY_FORM, expected, ARRAY_LENGTH(expected));
}

static void by_function(void **state)
{
	static const struct expected_group expected[] = {
		{"compress",
		 0,
		 1700,
		 0,
		 4,
		 {{"ADD r64, r64", 900, 0},
		  {"MOVZX r32, m8", 400, 0},
		  {"JNZ rel8", 300, 0},
		  {"SHL r64, imm8", 100, 0}}},
		{"copy", 0, 150, 0, 2, {{"ADD r64, r64", 100, 0}, {"PXOR xmm, xmm", 50, 0}}},
		{"(no function)", PROFILE_NONE, 2, 600, 1, {{"REP STOSB m8", 2, 600}}},
	};

	(void)state;
	check_groups(GROUP_BY_FUNCTION, expected, ARRAY_LENGTH(expected));
}

static void check_places(enum profile_group_by by, const char *const *names, const uint64_t *executions, size_t n)
{
	struct profile profile;
	struct profile_groups groups;

	make_located_profile(&profile);
	profile_group_init(&groups, &profile, 0, by);
	assert_int_equal(groups.n_groups, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(groups.groups[i].name, names[i]);
		assert_int_equal(groups.groups[i].executions, executions[i]);
	}
	assert_int_equal(groups.groups[n - 1].iterations, 600);
	assert_int_equal(groups.groups[n - 2].module, 0);
	assert_int_equal(groups.groups[n - 1].module, PROFILE_NONE);
	profile_group_deinit(&groups);
	profile_deinit(&profile);
}

/* Code without a location forms one group for each module, and nothing counts twice: each sum is 1,852. */
static void by_place_in_the_source(void **state)
{
	(void)state;
	check_places(GROUP_BY_FILE,
		     (const char *const[]){"/src/deflate.c", "/src/hash.h", "/other/hash.h", "(no line)", "(no line)"},
		     (const uint64_t[]){1600, 100, 100, 50, 2}, 5);
	check_places(GROUP_BY_LINE,
		     (const char *const[]){"/src/deflate.c:10", "/src/deflate.c:12", "/src/hash.h:5", "/other/hash.h:5",
					   "(no line)", "(no line)"},
		     (const uint64_t[]){1300, 300, 100, 100, 50, 2}, 6);
	check_places(GROUP_BY_COLUMN,
		     (const char *const[]){"/src/deflate.c:10:3", "/src/deflate.c:10:9", "/src/deflate.c:12:2",
					   "/src/hash.h:5:1", "/other/hash.h:5:1", "(no line)", "(no line)"},
		     (const uint64_t[]){900, 400, 300, 100, 100, 50, 2}, 7);
}

static void by_inlined_calls(void **state)
{
	(void)state;
	check_places(GROUP_BY_INLINED,
		     (const char *const[]){"compress", "hash <- compress (deflate.c:12)", "copy", "(no function)"},
		     (const uint64_t[]){1600, 100, 150, 2}, 4);
}

static void by_isa_extension(void **state)
{
	struct profile profile;
	struct profile_groups groups;

	(void)state;
	make_profile(&profile);
	profile_group_init(&groups, &profile, 0, GROUP_BY_ISA_EXTENSION);
	assert_int_equal(groups.n_groups, 2);
	assert_string_equal(groups.groups[0].name, "base");
	assert_int_equal(groups.groups[0].executions, 1802);
	assert_int_equal(groups.groups[0].iterations, 600);
	assert_int_equal(groups.groups[0].n_forms, 5);
	assert_string_equal(groups.groups[1].name, "sse2");
	assert_int_equal(groups.groups[1].executions, 50);
	profile_group_deinit(&groups);
	profile_deinit(&profile);
}

static void by_mnemonic_and_category_join_forms(void **state)
{
	struct profile profile;
	struct profile_groups groups;
	uint32_t region;

	(void)state;
	profile_init(&profile);
	region = make_region(&profile, "sort", PROFILE_NONE);
	profile_count(&profile, region, make_insn(&profile, "ADD r64, r64", "binary", "base", PROFILE_NONE), 5, 0);
	profile_count(&profile, region, make_insn(&profile, "SUB r64, r64", "binary", "base", PROFILE_NONE), 6, 0);
	profile_count(&profile, region, make_insn(&profile, "ADD r64, m64", "binary", "base", PROFILE_NONE), 7, 0);

	profile_group_init(&groups, &profile, region, GROUP_BY_MNEMONIC);
	assert_int_equal(groups.n_groups, 2);
	assert_string_equal(groups.groups[0].name, "ADD");
	assert_int_equal(groups.groups[0].executions, 12);
	assert_int_equal(groups.groups[0].n_forms, 2);
	assert_string_equal(groups.groups[1].name, "SUB");
	profile_group_deinit(&groups);

	profile_group_init(&groups, &profile, region, GROUP_BY_CATEGORY);
	assert_int_equal(groups.n_groups, 1);
	assert_string_equal(groups.groups[0].name, "binary");
	assert_int_equal(groups.groups[0].executions, 18);
	assert_int_equal(groups.groups[0].n_forms, 3);
	profile_group_deinit(&groups);
	profile_deinit(&profile);
}

/* Groups are in the order of this region's instructions, not of the profile's forms or functions. */
static void order_is_that_of_the_region(void **state)
{
	struct profile profile;
	struct profile_groups groups;
	uint32_t nop, ret, region;

	(void)state;
	profile_init(&profile);
	region = make_region(&profile, "sort", PROFILE_NONE);
	make_insn(&profile, "RET", "ret", "base", PROFILE_NONE);
	nop = make_insn(&profile, "NOP", "nop", "base", PROFILE_NONE);
	ret = make_insn(&profile, "RET", "ret", "base", PROFILE_NONE);
	profile_count(&profile, region, ret, 1, 0);
	profile_count(&profile, region, nop, 1, 0);
	profile_group_init(&groups, &profile, region, GROUP_BY_FORM);
	assert_int_equal(groups.n_groups, 2);
	assert_string_equal(groups.groups[0].name, "NOP");
	assert_string_equal(groups.groups[1].name, "RET");
	profile_group_deinit(&groups);
	profile_deinit(&profile);
}

static void a_region_without_instructions_has_no_groups(void **state)
{
	struct profile profile;
	struct profile_groups groups;

	(void)state;
	profile_init(&profile);
	make_region(&profile, "sort", PROFILE_NONE);
	for (int by = GROUP_BY_FORM; by <= GROUP_BY_INLINED; by++) {
		profile_group_init(&groups, &profile, 0, (enum profile_group_by)by);
		assert_int_equal(groups.n_groups, 0);
		profile_group_deinit(&groups);
	}
	profile_deinit(&profile);
}

static void add_insn(struct profile *profile, const char *hex, uint32_t line, uint32_t column, uint64_t executions)
{
	uint32_t index = make_insn(profile, hex, "binary", "base", PROFILE_NONE);
	struct profile_insn *insn = &profile->insns[index];

	insn->va = index ? insn[-1].va + insn[-1].length : 0x1000;
	insn->length = (uint8_t)hex_parse(hex, insn->bytes, sizeof(insn->bytes));
	place_at(profile, index, "a.c", line, column, PROFILE_NONE);
	profile_count(profile, 0, index, executions, 0);
}

static void check_runs(const struct profile *profile, enum profile_group_by by, const uint64_t *expected, size_t n)
{
	struct profile_groups groups;

	profile_group_init(&groups, profile, 0, by);
	assert_int_equal(groups.n_groups, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(groups.groups[i].runs, expected[i]);
	profile_group_deinit(&groups);
}

/* How often lines and tokens ran, whatever the number of their instructions. */
static void runs(void **state)
{
	static const uint64_t lines[] = {10, 10, 10, 30, 41}, columns[] = {10, 10, 10, 10, 30, 41};
	struct profile profile;

	(void)state;
	profile_init(&profile);
	make_region(&profile, "r", PROFILE_NONE);
	add_insn(&profile, "48 01 c8", 1, 3, 10);
	add_insn(&profile, "48 01 c8", 2, 1, 10);
	add_insn(&profile, "48 01 c8", 1, 5, 10);	/* the same block: line 1 does not run again */
	add_insn(&profile, "e8 00 00 00 00", 3, 1, 10); /* line 3 goes on when the call returns */
	add_insn(&profile, "48 01 c8", 3, 1, 10);
	add_insn(&profile, "75 00", 4, 1, 10);
	add_insn(&profile, "48 01 c8", 4, 1, 30); /* 20 times from elsewhere */
	add_insn(&profile, "eb 03", 5, 1, 1);	  /* a loop that begins at its condition */
	add_insn(&profile, "48 ff c0", 5, 1, 40);
	add_insn(&profile, "75 f3", 5, 1, 41);
	check_runs(&profile, GROUP_BY_LINE, lines, ARRAY_LENGTH(lines));
	check_runs(&profile, GROUP_BY_COLUMN, columns, ARRAY_LENGTH(columns));
	check_runs(&profile, GROUP_BY_FILE, (const uint64_t[]){0}, 1);
	profile_deinit(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs),
		cmocka_unit_test(by_form),
		cmocka_unit_test(by_function),
		cmocka_unit_test(by_place_in_the_source),
		cmocka_unit_test(by_inlined_calls),
		cmocka_unit_test(by_isa_extension),
		cmocka_unit_test(by_mnemonic_and_category_join_forms),
		cmocka_unit_test(order_is_that_of_the_region),
		cmocka_unit_test(a_region_without_instructions_has_no_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
