#include "report_fixture.h"

#include <signal.h>

/* Fast: 300 x 1 + 1000 x 0.25 + 400 x 0.5 + 2 x 30 + 100 x 0.5 = 860; latencies: 300 + 1000 + 2000 + 80 + 100 = 3480.
 * 1702 executions, or 91.9 percent, are exact. */
static void one_model(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_golden_report("report_one_model", &profile, &model, 1, &(struct report_options){.width = 80});
	profile_deinit(&profile);
	model_destroy(model);
}

/* Careful's throughputs: 150 + 250 + 133.2 + 40 + 50 + 12.5 = 635.7. Old: 8138 cycles of 45 ns are 366.21 us. Models
 * that lack PXOR give a lower bound, so their ratio is meaningless. */
static void a_column_for_each_model(void **state)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(SLOW_COST, NULL),
				  make_model(CAREFUL_COST, NULL), make_model(OLD_COST, OLD_MAP)};
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_golden_report("report_four_models", &profile, models, 4, &(struct report_options){.width = 0});
	profile_deinit(&profile);
	for (size_t i = 0; i < ARRAY_LENGTH(models); i++)
		model_destroy(models[i]);
}

/* The first model is another machine: its instructions appear next to the form. It lacks one instruction, so the
 * ratio to it is an upper bound. */
static void a_mapped_model_and_top(void **state)
{
	struct model *models[] = {make_model(OLD_COST, OLD_MAP), make_model(CAREFUL_COST, NULL)};
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_golden_report("report_mapped_model_and_top", &profile, models, 2,
			    &(struct report_options){.width = 60, .top = 3});
	profile_deinit(&profile);
	for (size_t i = 0; i < ARRAY_LENGTH(models); i++)
		model_destroy(models[i]);
}

/* Compress: 225 + 200 + 300 + 50 = 775 of 860. Copy contains PXOR and so costs at least its 100 ADD. */
static void functions_as_groups(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_golden_report("report_functions", &profile, &model, 1, &(struct report_options){.by = GROUP_BY_FUNCTION});
	profile_deinit(&profile);
	model_destroy(model);
}

/* The folder distinguishes files of one name. 300, 225 + 200, 60, 50 and 25 of 860 cycles. */
static void lines_as_groups(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;
	char *text;

	(void)state;
	make_located_profile(&profile);
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_LINE});
	assert_non_null(strstr(text, "  count  instructions   each  cycles  share  line\n"
				     "  1,300         1,300   0.33     425  49.4%  deflate.c:10  compress\n"
				     "    300           300   1.00     300  34.9%  deflate.c:12  compress\n"
				     "      2             2  30.00      60   7.0%  (no line)\n"
				     "    100           100   0.50     ~50   5.8%  src/hash.h:5  hash\n"
				     "    100           100   0.25      25   2.9%  other/hash.h:5  copy\n"
				     "     50            50      ?       ?      ?  (no line) [libz.so.1]\n"));
	free(text);
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_INLINED});
	assert_non_null(strstr(text, "    ~50   5.8%  hash <- compress (deflate.c:12) [libz.so.1]\n"));
	free(text);
	profile_deinit(&profile);
	model_destroy(model);
}

/* Nothing is unknown or a fallback, so there is no legend. 95 x 0.25 = 23.75 and 5 x 0.5 = 2.5 of 26.25: 90.5 and 9.5
 * percent. */
static void a_small_profile(struct profile *profile)
{
	uint32_t region;

	profile_init(profile);
	profile->exited = true;
	region = make_region(profile, "sum", PROFILE_NONE);
	profile_count(profile, region, make_insn(profile, "MOVZX r32, m8", "datatransfer", "base", PROFILE_NONE), 5, 0);
	profile_count(profile, region, make_insn(profile, "ADD r64, r64", "binary", "base", PROFILE_NONE), 95, 0);
}

static void colors(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	a_small_profile(&profile);
	check_golden_report("report_colors", &profile, &model, 1, &(struct report_options){.width = 80, .color = true});
	profile_deinit(&profile);
	model_destroy(model);
}

static void nothing_known_is_not_nothing(void **state)
{
	struct model *models[] = {make_model(SLOW_COST, NULL), make_model(CAREFUL_COST, NULL)};
	struct profile profile;
	uint32_t region;

	(void)state;
	profile_init(&profile);
	profile.exited = true;
	region = make_region(&profile, "xor", PROFILE_NONE);
	profile_count(&profile, region, make_insn(&profile, "PXOR xmm, xmm", "logical", "sse2", PROFILE_NONE), 1, 0);
	check_golden_report("report_nothing_known", &profile, models, 2, &(struct report_options){0});
	profile_deinit(&profile);
	for (size_t i = 0; i < ARRAY_LENGTH(models); i++)
		model_destroy(models[i]);
}

static void the_most_executed_unknown_forms_are_named(void **state)
{
	static const char *const forms[] = {"AAA", "BBB", "CCC", "DDD", "EEE"};
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;
	uint32_t region;
	char *text;

	(void)state;
	profile_init(&profile);
	region = make_region(&profile, "odd", PROFILE_NONE);
	for (size_t i = 0; i < ARRAY_LENGTH(forms); i++)
		profile_count(&profile, region, make_insn(&profile, forms[i], "other", "base", PROFILE_NONE),
			      i == 3 ? 1000 : 2 + i, 0);
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_CATEGORY});
	assert_non_null(strstr(text, "\nfast has no cost for 5 forms: DDD (1,000), EEE (6), CCC (4), 2 more\n"));
	assert_non_null(strstr(text, "\n  1,015     ?       ?      ?  other\n"));
	free(text);
	profile_deinit(&profile);
	model_destroy(model);
}

/* Notes about the visits and the run, in the order of the report. */
static void handlers_visits_and_endings(void **state)
{
	struct model *model = make_model(SLOW_COST, NULL);
	struct profile profile;
	uint32_t sum, handlers, lost;

	(void)state;
	profile_init(&profile);
	sum = make_region(&profile, "sum", PROFILE_NONE);
	make_region(&profile, "empty", PROFILE_NONE);
	lost = make_unreached_region(&profile, "lost");
	handlers = make_region(&profile, "sum", sum);
	make_unreached_region(&profile, "");
	profile_count(&profile, sum, make_insn(&profile, "JNZ rel8", "condbranch", "base", PROFILE_NONE), 52000, 0);
	profile_count(&profile, handlers, make_insn(&profile, "ADD r64, r64", "binary", "base", PROFILE_NONE), 3, 0);
	profile.regions[sum].visits = 3;
	profile.regions[sum].visits_cut = 1;
	profile.regions[sum].visits_left = 2;
	profile.regions[sum].unmatched_ends = 1;
	profile.regions[sum].tracing_ns = 1000000000;
	profile.regions[handlers].visits = 2;
	profile.regions[handlers].tracing_ns = 150000;
	profile.regions[lost].n_markers = 2;
	profile.regions[lost].unmatched_ends = 4;
	profile.wall_ns = 1200000000;
	profile.signal = SIGSEGV;
	profile_note(&profile, "vfork child 123 was not traced");
	profile_count_syscall(&profile, sum, 4, true, 1);
	profile_count_syscall(&profile, sum, 4, true, 1);
	check_golden_report("report_handlers_visits_and_endings", &profile, &model, 1, &(struct report_options){0});
	profile_deinit(&profile);
	model_destroy(model);
}

static void no_region_was_reached(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	profile_init(&profile);
	check_golden_report("report_no_region", &profile, &model, 1, &(struct report_options){0});

	profile.exited = true;
	profile.exit_status = 3;
	make_unreached_region(&profile, "sort");
	check_golden_report("report_no_region_and_exit_status", &profile, &model, 1, &(struct report_options){0});
	profile_deinit(&profile);
	model_destroy(model);
}

static void notes_are_said(void **state)
{
	struct model *models[] = {make_model(SLOW_COST, NULL), make_model(NOTED_COST, NULL)};
	struct profile profile;
	char *text;

	(void)state;
	make_profile(&profile);
	text = make_report(&profile, models, 2, &(struct report_options){.format = REPORT_TEXT});
	assert_non_null(strstr(text, "are not included\nnoted: the figures of another\n"));
	assert_null(strstr(text, "slow:"));
	free(text);
	profile_deinit(&profile);
	model_destroy(models[0]);
	model_destroy(models[1]);
}

static void only_the_regions_asked_for(void **state)
{
	static const char *const names[] = {"b", "c"};
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	profile_init(&profile);
	profile.exited = true;
	make_region(&profile, "a", PROFILE_NONE);
	make_region(&profile, "a", 0);
	make_region(&profile, "b", PROFILE_NONE);
	make_region(&profile, "b", 2);
	make_unreached_region(&profile, "c");
	make_unreached_region(&profile, "d");
	check_golden_report("report_only_regions", &profile, &model, 1,
			    &(struct report_options){.only_regions = names, .n_only_regions = 2});
	profile_deinit(&profile);
	model_destroy(model);
}

/* The C library's AVX-512 functions are avoidable; a program's own are not. */
static void the_library_may_choose_other_functions(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;
	char *text;

	(void)state;
	make_profile(&profile);
	ARRAY_ADD(&profile, modules)->path = xstrdup("/lib/x86_64-linux-gnu/libc.so.6");
	profile_count(&profile, 0, make_insn(&profile, "VPCMPB k, ymm, ymm", "avx512", "avx512evex", PROFILE_NONE), 5,
		      0);
	profile.insns[profile.n_insns - 1].module = 0;
	text = make_report(&profile, &model, 1, &(struct report_options){0});
	assert_null(strstr(text, "--isa"));
	free(text);
	profile.insns[profile.n_insns - 1].module = 1;
	for (int compare = 0; compare < 2; compare++) {
		text = make_report(&profile, &model, 1, &(struct report_options){.compare = compare});
		assert_non_null(strstr(text, "the C library chose AVX-512 functions, which have no cost on fast; --isa "
					     "x86-64-v3 makes it choose others, as does "
					     "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,"));
		free(text);
	}
	profile_deinit(&profile);
	model_destroy(model);
}

static void hostile_names_are_harmless(void **state)
{
	struct model *model = make_model(SLOW_COST, NULL);
	struct profile profile;
	uint32_t region, function, module;
	char *text;

	(void)state;
	profile_init(&profile);
	ARRAY_ADD(&profile, modules)->path = xstrdup("/tmp/\033[2Jx\xff/li\nb.so");
	module = 0;
	function = profile_intern_function(&profile, "f\xc2\x9b\r", module);
	region = make_region(&profile, "r\033]0;x\a\x1f", PROFILE_NONE);
	profile_note(&profile, "a note about \033[31m");
	profile_count(&profile, region, make_insn(&profile, "JNZ rel8", "condbranch", "base", function), 1, 0);
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_FUNCTION});
	assert_non_null(strstr(text, "r\\x1B]0;x\\x07\\x1F: 1 visit"));
	assert_non_null(strstr(text, "  f\\xC2\\x9B\\x0D [li\\x0Ab.so]\n"));
	assert_non_null(strstr(text, "\na note about \\x1B[31m\n"));
	for (const char *at = text; *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
	free(text);
	profile_deinit(&profile);
	model_destroy(model);
}

/* Labels are cut between characters, each of which counts as one column. */
static void labels_are_cut_by_characters(void **state)
{
	struct model *model = make_model(SLOW_COST, NULL);
	struct profile profile;
	uint32_t region, function;
	char *text;

	(void)state;
	profile_init(&profile);
	function = profile_intern_function(&profile, "gr\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f",
					   PROFILE_NONE);
	region = make_region(&profile, "r", PROFILE_NONE);
	profile_count(&profile, region, make_insn(&profile, "JNZ rel8", "condbranch", "base", function), 1, 0);
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_FUNCTION, .width = 40});
	assert_non_null(strstr(text, "  gr\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\n"));
	free(text);
	/* Columns that can be missed make room; if that is not enough, the label goes above the figures. */
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_FUNCTION, .width = 36});
	assert_non_null(strstr(text, "(not shown in this width: each"));
	free(text);
	text = make_report(&profile, &model, 1, &(struct report_options){.by = GROUP_BY_FUNCTION, .width = 20});
	assert_non_null(strstr(text, "\n  gr\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\n  "));
	free(text);
	text = make_report(&profile, &model, 1, &(struct report_options){.width = 1});
	assert_non_null(strstr(text, "\n  JNZ rel8\n  "));
	assert_non_null(strstr(text, "\n  executions exact\n  "));
	free(text);
	profile_deinit(&profile);
	model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_model),
		cmocka_unit_test(a_column_for_each_model),
		cmocka_unit_test(a_mapped_model_and_top),
		cmocka_unit_test(functions_as_groups),
		cmocka_unit_test(lines_as_groups),
		cmocka_unit_test(colors),
		cmocka_unit_test(nothing_known_is_not_nothing),
		cmocka_unit_test(the_most_executed_unknown_forms_are_named),
		cmocka_unit_test(handlers_visits_and_endings),
		cmocka_unit_test(no_region_was_reached),
		cmocka_unit_test(notes_are_said),
		cmocka_unit_test(only_the_regions_asked_for),
		cmocka_unit_test(the_library_may_choose_other_functions),
		cmocka_unit_test(hostile_names_are_harmless),
		cmocka_unit_test(labels_are_cut_by_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
