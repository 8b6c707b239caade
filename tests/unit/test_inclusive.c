/* Inclusive costs of functions. The figures of these made-up runs are worked out by hand. */
#include "calls_fixture.h"

/* Code without symbols (2 ADD, 0.5 cycles) falls through into g (2 MOVZX, 1.0) without a call, and calls f (5 ADD,
 * 1.25), which calls code without symbols (4 JNZ, 4.0). All of it is inclusive in the first code; g is inclusive only
 * in the code that fell through. */
static void code_in_no_function_counts_once(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	enum { INSN_JNZ, INSN_ADD, INSN_F, INSN_G };
	struct profile_region *region;
	struct profile profile;
	uint32_t index;
	char *text;

	(void)state;
	index = make_calls_of_one_region(&profile);
	make_insn(&profile, "JNZ rel8", "condbranch", "base", PROFILE_NONE);
	make_insn(&profile, "ADD r64, r64", "binary", "base", PROFILE_NONE);
	make_insn(&profile, "ADD r64, r64", "binary", "base", profile_intern_function(&profile, "f", 0));
	make_insn(&profile, "MOVZX r32, m8", "datatransfer", "base", profile_intern_function(&profile, "g", 0));
	profile_count(&profile, index, INSN_JNZ, 4, 0);
	profile_count(&profile, index, INSN_ADD, 2, 0);
	profile_count(&profile, index, INSN_F, 5, 0);
	profile_count(&profile, index, INSN_G, 2, 0);
	region = &profile.regions[index];
	add_context(region, PROFILE_NONE, PROFILE_NONE, INSN_ADD, PROFILE_NONE, 1);
	add_context(region, 0, INSN_ADD, INSN_F, PROFILE_NONE, 1);
	add_context(region, 1, INSN_F, INSN_JNZ, PROFILE_NONE, 1);
	add_run(region, 0, INSN_ADD, 2);
	add_run(region, 0, INSN_G, 2);
	add_run(region, 1, INSN_F, 5);
	add_run(region, 2, INSN_JNZ, 4);
	text = make_report(&profile, &model, 1,
			   &(struct report_options){.by = GROUP_BY_FUNCTION, .format = REPORT_CSV});
	assert_string_equal(text, "region,function,module,executions,iterations,cycles_fast,match_fast,"
				  "executions_with_calls,cycles_with_calls_fast,match_with_calls_fast\n"
				  "r,(no function),,6,0,4.5,exact,13,6.75,exact\n"
				  "r,f,/bin/prog,5,0,1.25,exact,9,5.25,exact\n"
				  "r,g,/bin/prog,2,0,1,exact,2,1,exact\n");
	free(text);
	profile_deinit(&profile);
	model_destroy(model);
}

static void calls_have_no_figure_where_what_they_called_has_none(void **state)
{
	struct report_options options = {.by = GROUP_BY_FUNCTION, .format = REPORT_CSV};
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(CAREFUL_COST, NULL)};
	json_t *root, *groups, *estimate;
	struct profile profile;
	char *text;

	(void)state;
	make_lacking_profile(&profile);
	text = make_report(&profile, models, ARRAY_LENGTH(models), &options);
	assert_string_equal(text, "region,function,module,executions,iterations,cycles_fast,match_fast,"
				  "cycles_careful,match_careful,executions_with_calls,cycles_with_calls_fast,"
				  "match_with_calls_fast,cycles_with_calls_careful,match_with_calls_careful\n"
				  "r,shift,/lib/libm.so,4,0,2,fallback,4,exact,4,2,fallback,4,exact\n"
				  "r,main,/bin/prog,2,0,0.5,exact,2,exact,14,2.5,partial,14,exact\n"
				  "r,mask,/lib/libm.so,5,0,,unknown,5,exact,8,,unknown,8,exact\n"
				  "r,tail,/lib/libm.so,3,0,,unknown,3,exact,3,,unknown,3,exact\n");
	free(text);
	options.format = REPORT_JSON;
	text = make_report(&profile, models, ARRAY_LENGTH(models), &options);
	root = json_loads(text, 0, NULL);
	groups = json_object_get(json_array_get(json_object_get(root, "regions"), 0), "groups");
	estimate = json_array_get(json_object_get(json_array_get(groups, 1), "estimates"), 0);
	assert_int_equal(json_integer_value(json_object_get(estimate, "unknown")), 0);
	assert_int_equal(json_integer_value(json_object_get(estimate, "unknown_with_calls")), 8);
	estimate = json_array_get(json_object_get(json_array_get(groups, 2), "estimates"), 0);
	assert_true(json_is_null(json_object_get(estimate, "cycles_with_calls")));
	assert_int_equal(json_integer_value(json_object_get(estimate, "unknown_with_calls")), 8);
	json_decref(root);
	free(text);
	options.format = REPORT_TEXT;
	text = make_report(&profile, models, ARRAY_LENGTH(models), &options);
	assert_non_null(strstr(text, "      4   0.50       ~2  80.0%        4          ~2   80.0%  shift [libm.so]\n"
				     "      2   0.25        1  20.0%        2          >3  100.0%  main [prog]\n"
				     "      5      ?        ?      ?        5           ?       ?  mask [libm.so]\n"
				     "      3      ?        ?      ?        3           ?       ?  tail [libm.so]\n"));
	free(text);
	profile_deinit(&profile);
	model_destroy(models[0]);
	model_destroy(models[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_in_no_function_counts_once),
		cmocka_unit_test(calls_have_no_figure_where_what_they_called_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
