#include "report_fixture.h"

static void check_report(const struct profile *profile, struct model *const *models, size_t n_models,
			 const struct report_options *options, const char *expected)
{
	char *text = make_report(profile, models, n_models, options);

	assert_string_equal(text, expected);
	free(text);
}

/* The figures are those of test_compare.c and test_report_text.c. Both models lack 2.7 % of the executions, so there
 * is no ratio. By function on fast: compress 775 of 860, (no function) 60, copy 25. */
static void text(void **state)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(CAREFUL_COST, NULL),
				  make_model(OLD_COST, OLD_MAP)};
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_golden_report("comparison_three_models", &profile, models, 3,
			    &(struct report_options){.compare = true, .top = 2});
	/* A single model has no other one to rank lower on. */
	check_golden_report("comparison_one_model", &profile, models, 1,
			    &(struct report_options){.compare = true, .top = 2});
	profile_deinit(&profile);
	for (size_t i = 0; i < ARRAY_LENGTH(models); i++)
		model_destroy(models[i]);
}

/* PXOR's 50 of 1,852 executions have no cost on four models, of which three are named. */
static void one_line_for_what_all_models_lack(void **state)
{
	struct model *models[] = {make_model(CAREFUL_COST, NULL), make_model(FAST_COST, NULL),
				  make_model(SLOW_COST, NULL), make_model(OLD_COST, OLD_MAP),
				  make_model(NOTED_COST, NULL)};
	struct profile profile;
	char *text;

	(void)state;
	make_profile(&profile);
	for (int compare = 0; compare < 2; compare++) {
		text = make_report(&profile, models, ARRAY_LENGTH(models),
				   &(struct report_options){.compare = compare, .top = 2});
		assert_non_null(strstr(text, "\nexecutions without a cost: 46.0% on noted (MOVZX r32, m8 and others), "
					     "2.8% on slow (PXOR xmm, xmm and others), 2.7% on fast (PXOR xmm, xmm), "
					     "and 1 more model\n"));
		assert_null(strstr(text, "noted has no cost"));
		free(text);
	}
	profile_deinit(&profile);
	for (size_t i = 0; i < ARRAY_LENGTH(models); i++)
		model_destroy(models[i]);
}

static void csv(void **state)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(CAREFUL_COST, NULL)};
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_report(&profile, models, 2,
		     &(struct report_options){
			     .compare = true, .format = REPORT_CSV, .by = GROUP_BY_ISA_EXTENSION, .is_by_given = true},
		     "region,by,name,module,executions,iterations,model,rank,cycles,share,unknown\n"
		     "deflate,region,,,1852,600,fast,,860,1,50\n"
		     "deflate,region,,,1852,600,careful,,3090,1,0\n"
		     "deflate,isa_extension,base,,1802,600,fast,1,860,1.000000,0\n"
		     "deflate,isa_extension,base,,1802,600,careful,1,3040,0.983819,0\n"
		     "deflate,isa_extension,sse2,,50,0,fast,,,,50\n"
		     "deflate,isa_extension,sse2,,50,0,careful,2,50,0.016181,0\n");
	profile_deinit(&profile);
	model_destroy(models[0]);
	model_destroy(models[1]);
}

static void json_keeps_its_schema(void **state)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(CAREFUL_COST, NULL),
				  make_model(OLD_COST, OLD_MAP)};
	char path[] = "/tmp/itrace-test-XXXXXX";
	struct profile profile;
	char *report, *command;
	int fd = mkstemp(path);

	(void)state;
	make_profile(&profile);
	profile_note(&profile, "a note");
	make_region(&profile, "deflate", 0);
	report = make_report(&profile, models, 3, &(struct report_options){.compare = true, .format = REPORT_JSON});
	assert_non_null(strstr(report, "\"share_moved\": 0.32119"));
	assert_non_null(strstr(report, "\"rule\": \"immediate of another width\""));
	assert_int_equal(write(fd, report, strlen(report)), strlen(report));
	close(fd);
	command = xasprintf("'%s' --compare %s >/dev/null", CHECK_JSON_SCHEMA, path);
	assert_int_equal(system(command), 0);
	unlink(path);
	free(command);
	free(report);
	profile_deinit(&profile);
	for (size_t i = 0; i < ARRAY_LENGTH(models); i++)
		model_destroy(models[i]);
}

/* The models lack different instructions, 49 of 1,000 and 50 of 1,000: below 5 % and not. The legend has the share. */
static void ratio_of_two_that_lack_little(void **state)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(SLOW_COST, NULL)};
	struct profile profile;
	uint32_t region, add, pxor;
	char *report;

	(void)state;
	profile_init(&profile);
	region = make_region(&profile, "r", PROFILE_NONE);
	add = make_insn(&profile, "ADD r64, r64", "binary", "base", PROFILE_NONE);
	pxor = make_insn(&profile, "PXOR xmm, xmm", "logical", "sse2", PROFILE_NONE);
	profile_count(&profile, region, add, 951, 0);
	profile_count(&profile, region, pxor, 49, 0);
	report = make_report(&profile, models, 2, &(struct report_options){0});
	assert_non_null(strstr(report, "\u22488.00x  ratio to fast\n"));
	assert_non_null(strstr(report, "\u2248 about: up to 4.9% of the executions have no cost"));
	free(report);
	/* In plain ASCII, and not the sign of a fallback. */
	report = make_report(&profile, models, 2, &(struct report_options){.is_ascii = true});
	assert_non_null(strstr(report, "~=8.00x  ratio to fast\n"));
	assert_non_null(strstr(report, "~= about: up to 4.9% of the executions have no cost"));
	for (const char *c = report; *c; c++)
		assert_true((unsigned char)*c < 0x80);
	free(report);
	profile.regions[region].executions[add] = 950;
	profile.regions[region].executions[pxor] = 50;
	report = make_report(&profile, models, 2, &(struct report_options){0});
	assert_non_null(strstr(report, " ?  ratio to fast\n"));
	assert_null(strstr(report, "\u2248"));
	free(report);
	profile_deinit(&profile);
	model_destroy(models[0]);
	model_destroy(models[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(one_line_for_what_all_models_lack),
		cmocka_unit_test(csv),
		cmocka_unit_test(json_keeps_its_schema),
		cmocka_unit_test(ratio_of_two_that_lack_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
