/* Call trees and charge-back if the model lacks figures: the run of calls_fixture.h on `fast`. */
#include "calls_fixture.h"

static char *report(struct report_options options)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(CAREFUL_COST, NULL)};
	struct profile profile;
	char *text;

	options.top = 20;
	make_lacking_profile(&profile);
	text = make_report(&profile, models, ARRAY_LENGTH(models), &options);
	profile_deinit(&profile);
	model_destroy(models[0]);
	model_destroy(models[1]);
	return text;
}

static void check_contains(struct report_options options, const char *wanted)
{
	char *text = report(options);

	if (!strstr(text, wanted))
		fail_msg("%s\nlacks\n%s", text, wanted);
	free(text);
}

static void tree(void **state)
{
	(void)state;
	check_contains((struct report_options){.view = REPORT_VIEW_TREE},
		       "  total   share  self  share  calls  function\n"
		       "     >3  100.0%     1  20.0%      1  main [prog]\n"
		       "     ~2   80.0%    ~2  80.0%      1    shift [libm.so]\n"
		       "      ?       ?     ?      ?      1    mask [libm.so]\n");
	check_contains((struct report_options){.view = REPORT_VIEW_TREE},
		       "~ cost of a related form; > at least: a part has no cost; ? no cost\n");
	check_contains((struct report_options){.view = REPORT_VIEW_TREE, .format = REPORT_CSV},
		       "region,node,parent,function,module,calls,recursive_calls,own_instructions,instructions,"
		       "own_cycles_fast,own_match_fast,own_cycles_careful,own_match_careful,"
		       "cycles_fast,match_fast,cycles_careful,match_careful\n"
		       "r,0,,main,/bin/prog,1,0,2,14,0.5,exact,2,exact,2.5,partial,14,exact\n"
		       "r,1,0,shift,/lib/libm.so,1,0,4,4,2,fallback,4,exact,2,fallback,4,exact\n"
		       "r,2,0,mask,/lib/libm.so,1,0,8,8,,unknown,8,exact,,unknown,8,exact\n");
}

static void charges(void **state)
{
	(void)state;
	check_contains((struct report_options){.view = REPORT_VIEW_CHARGES},
		       "  total   share  own code  libm.so  line\n"
		       "     >3  100.0%         1       >2  main\n"
		       "     >3  100.0%         1       >2  total\n");
	check_contains(
		(struct report_options){.view = REPORT_VIEW_CHARGES, .format = REPORT_CSV},
		"region,file,line,function,module,instructions,cycles_fast,match_fast,cycles_careful,match_careful\n"
		"r,,,main,(own code),2,0.5,exact,2,exact\n"
		"r,,,main,/lib/libm.so,12,2,partial,12,exact\n");
}

static void memory(void **state)
{
	(void)state;
	check_contains((struct report_options){.view = REPORT_VIEW_MEMORY},
		       "  calls  bytes  not freed  cycles  share      by  line\n"
		       "      1    300                 ~2  80.0%  malloc  main\n"
		       "      1    100                  ?      ?  calloc  main\n");
	/* The first instruction is three quarters of 12 instructions, 8 of which have no figure. */
	check_contains((struct report_options){.view = REPORT_VIEW_MEMORY, .share_by_bytes = true},
		       "      1    300                 >2  60.0%  malloc  main\n"
		       "      1    100                 >1  20.0%  calloc  main\n");
	check_contains((struct report_options){.view = REPORT_VIEW_MEMORY, .format = REPORT_CSV},
		       "instructions,cycles_fast,match_fast,cycles_careful,match_careful\n"
		       "r,,,main,malloc,1,300,0,0,4,2,fallback,4,exact\n"
		       "r,,,main,calloc,1,100,0,0,8,,unknown,8,exact\n");
}

static json_t *first_model(json_t *row, const char *key)
{
	return json_array_get(json_object_get(row, key), 0);
}

static void check_json(enum report_view view, const char *rows, size_t row, const char *of, double cycles,
		       json_int_t unknown)
{
	char *text = report((struct report_options){.view = view, .format = REPORT_JSON});
	json_t *root = json_loads(text, 0, NULL);
	json_t *region = json_array_get(json_object_get(root, "regions"), 0);
	json_t *found = json_array_get(json_object_get(region, rows), row);

	if (of)
		found = json_array_get(json_object_get(found, of), 1);
	if (cycles < 0)
		assert_true(json_is_null(first_model(found, "cycles")));
	else
		assert_true(json_number_value(first_model(found, "cycles")) == cycles);
	assert_int_equal(json_integer_value(first_model(found, "unknown")), unknown);
	json_decref(root);
	free(text);
}

static void json(void **state)
{
	(void)state;
	check_json(REPORT_VIEW_TREE, "call_tree", 0, NULL, 2.5, 8);
	check_json(REPORT_VIEW_TREE, "call_tree", 1, NULL, 2, 0);
	check_json(REPORT_VIEW_TREE, "call_tree", 2, NULL, -1, 8);
	check_json(REPORT_VIEW_CHARGES, "charges", 0, NULL, 2.5, 8);
	check_json(REPORT_VIEW_CHARGES, "charges", 0, "by_module", 2, 8);
	check_json(REPORT_VIEW_MEMORY, "memory", 1, NULL, -1, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree),
		cmocka_unit_test(charges),
		cmocka_unit_test(memory),
		cmocka_unit_test(json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
