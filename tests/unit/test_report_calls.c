/* Reports of call trees. The figures of the made-up run are worked out by hand. */
#include "calls_fixture.h"

/* main at line 10 calls f at two sites; f calls g once each time, and g calls itself once more; one ADD of f belongs
 * to an inlined body in list.h. On `fast`: ADD 0.25 cycles, JNZ 1, MOVZX 0.5.
 *
 *   main: 4 JNZ and 7 ADD: 5.75 cycles
 *
 *     f from 0x401004: 3 ADD: 0.75, by 10 MOVZX in g: 5.0
 *
 *     f from 0x401008: 2 ADD: 0.5, by 3 MOVZX in g: 1.5
 */
enum { INSN_JNZ, INSN_ADD, INSN_F, INSN_G, N_INSNS };

static uint32_t make_line(struct profile *profile, const char *file, uint32_t line, uint32_t inlined)
{
	return profile_intern_location(profile, &(struct profile_location){.file = profile_intern_file(profile, file),
									   .line = line,
									   .inlined = inlined});
}

static void make_called_profile(struct profile *profile)
{
	uint32_t functions[3], inlined, region_index;
	struct profile_region *region;

	profile_init(profile);
	profile->argv = xcalloc(2, sizeof(*profile->argv));
	profile->argv[0] = xstrdup("./prog");
	profile->exited = profile->has_calls = true;
	*ARRAY_ADD(profile,
		   modules) = (struct profile_module){.path = xstrdup("/bin/prog"), .bias = 0x1000, .is_program = true};
	*ARRAY_ADD(profile, modules) = (struct profile_module){.path = xstrdup("/lib/libg.so")};
	functions[0] = profile_intern_function(profile, "main", 0);
	functions[1] = profile_intern_function(profile, "f", 0);
	functions[2] = profile_intern_function(profile, "g<a;b>", 1);
	region_index = make_region(profile, "r", PROFILE_NONE);
	make_insn(profile, "JNZ rel8", "condbranch", "base", functions[0]);
	make_insn(profile, "ADD r64, r64", "binary", "base", functions[0]);
	make_insn(profile, "ADD r64, r64", "binary", "base", functions[1]);
	make_insn(profile, "MOVZX r32, m8", "datatransfer", "base", functions[2]);
	profile->insns[INSN_JNZ].module = profile->insns[INSN_ADD].module = profile->insns[INSN_F].module = 0;
	profile->insns[INSN_G].module = 1;
	inlined = profile_intern_inlined(profile, &(struct profile_inlined){.function = functions[2],
									    .caller = PROFILE_NONE,
									    .file = profile_intern_file(profile, "a.c"),
									    .line = 10});
	profile->insns[INSN_JNZ].location = make_line(profile, "a.c", 10, PROFILE_NONE);
	profile->insns[INSN_ADD].location = make_line(profile, "list.h", 3, inlined);
	profile->insns[INSN_F].location = make_line(profile, "a.c", 20, PROFILE_NONE);
	profile_count(profile, region_index, INSN_JNZ, 4, 0);
	profile_count(profile, region_index, INSN_ADD, 7, 0);
	profile_count(profile, region_index, INSN_F, 5, 0);
	profile_count(profile, region_index, INSN_G, 13, 0);

	profile_count_syscall(profile, region_index, 1, false, 1);
	profile_count_syscall(profile, region_index, 0, false, 2);
	region = &profile->regions[region_index];
	/* f asks g for memory by 3 and 2 calls; main asks the kernel. */
	profile->has_memory = true;
	*ARRAY_ADD(region, allocations) = (struct profile_allocation){0, INSN_JNZ, ALLOCATOR_MMAP, 1, 4096, 0, 0};
	*ARRAY_ADD(region, allocations) = (struct profile_allocation){1, INSN_F, ALLOCATOR_MALLOC, 3, 300, 1, 100};
	*ARRAY_ADD(region, allocations) = (struct profile_allocation){3, INSN_F, ALLOCATOR_FREE, 2, 200, 0, 0};
	*ARRAY_ADD(region, syscall_sites) =
		(struct profile_syscall_site){.context = 0, .insn = INSN_ADD, .syscall = 0, .count = 1};
	*ARRAY_ADD(region, syscall_sites) =
		(struct profile_syscall_site){.context = 2, .insn = INSN_G, .syscall = 1, .count = 2};
	add_context(region, PROFILE_NONE, PROFILE_NONE, INSN_JNZ, PROFILE_NONE, 1);
	add_context(region, 0, INSN_JNZ, INSN_F, PROFILE_NONE, 3);
	add_context(region, 1, INSN_F, INSN_G, PROFILE_NONE, 3);
	add_context(region, 0, INSN_ADD, INSN_F, PROFILE_NONE, 2);
	add_context(region, 3, INSN_F, INSN_G, PROFILE_NONE, 2);
	add_context(region, 4, INSN_G, INSN_G, 4, 1);
	add_run(region, 0, INSN_JNZ, 4);
	add_run(region, 0, INSN_ADD, 7);
	add_run(region, 1, INSN_F, 3);
	add_run(region, 2, INSN_G, 10);
	add_run(region, 3, INSN_F, 2);
	add_run(region, 4, INSN_G, 3);
}

static char *report(const struct report_options *options)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;
	char *text;

	make_called_profile(&profile);
	text = make_report(&profile, &model, 1, options);
	profile_deinit(&profile);
	model_destroy(model);
	return text;
}

static void text_shows_the_tree(void **state)
{
	char *text = report(&(struct report_options){.view = REPORT_VIEW_TREE, .top = 20});

	(void)state;
	assert_non_null(strstr(text, "  total   share  self  share  calls  function\n"
				     "     14  100.0%     6  42.6%      1  main [prog]\n"
				     "      8   57.4%     1   9.3%      5    f [prog]\n"
				     "      7   48.1%     7  48.1%      5      g<a;b> [libg.so] (1 recursive call)\n"
				     "\n"));
	free(text);
	text = report(&(struct report_options){.view = REPORT_VIEW_TREE, .top = 1});
	assert_non_null(strstr(text, "     14  100.0%     6  42.6%      1  main [prog]\n"
				     "      8   57.4%                   5    1 more\n"
				     "                    8  57.4%         2 more in total (--top 0 for all)\n"));
	free(text);
}

/* g is a library. Line 20 of a.c, where f calls it, is charged with all but 5.75 and 1.25 cycles. */
static void libraries_are_charged_to_the_line_that_asked(void **state)
{
	char *text = report(&(struct report_options){.view = REPORT_VIEW_CHARGES, .top = 20});

	(void)state;
	assert_non_null(strstr(text, "  total   share  own code  libg.so  line\n"
				     "      8   57.4%         1        7  a.c:20 f\n"
				     "      4   29.6%         4           a.c:10 main\n"
				     "      2   13.0%         2           list.h:3 g<a;b>\n"
				     "     14  100.0%         7        7  total\n"
				     "\n"
				     "  count  system call  line\n"
				     "      2         read  a.c:20 f\n"
				     "      1        write  list.h:3 g<a;b>\n"));
	free(text);
	text = report(&(struct report_options){.view = REPORT_VIEW_CHARGES,
					       .user_modules = (const char *const[]){"libg.so"},
					       .n_user_modules = 1});
	/* Without lines, its function stands for them. */
	assert_non_null(strstr(text, "  total   share  own code  line\n"
				     "      7   48.1%         7  g<a;b>\n"));
	assert_null(strstr(text, "--user"));
	free(text);
	text = report(&(struct report_options){.view = REPORT_VIEW_CHARGES,
					       .user_modules = (const char *const[]){"libg.so.1", "/bin/prog"},
					       .n_user_modules = 2});
	assert_non_null(strstr(text, "--user libg.so.1: no executed module has this name\n"));
	assert_null(strstr(text, "--user /bin/prog"));
	free(text);
	text = report(&(struct report_options){.view = REPORT_VIEW_CHARGES, .format = REPORT_CSV});
	assert_string_equal(text, "region,file,line,function,module,instructions,cycles_fast,match_fast\n"
				  "r,a.c,20,f,(own code),5,1.25,exact\n"
				  "r,a.c,20,f,/lib/libg.so,13,6.5,exact\n"
				  "r,a.c,10,main,(own code),4,4,exact\n"
				  "r,list.h,3,g<a;b>,(own code),7,1.75,exact\n");
	free(text);
}

static void memory_has_its_lines(void **state)
{
	char *text = report(&(struct report_options){.view = REPORT_VIEW_MEMORY, .top = 20});

	(void)state;
	assert_non_null(strstr(text, "  calls  bytes  not freed  cycles  share      by  line\n"
				     "      1  4,096                              mmap  a.c:10 main\n"
				     "      3    300        100       5  37.0%  malloc  a.c:20 f\n"
				     "      2    200                  2  11.1%    free  a.c:20 f\n"
				     "\n"));
	free(text);
	/* Callers of allocators are charged with their cost. */
	text = report(&(struct report_options){
		.view = REPORT_VIEW_MEMORY, .share_by_bytes = true, .format = REPORT_CSV, .top = 20});
	assert_string_equal(
		text, "region,file,line,function,allocator,calls,bytes,kept_calls,kept_bytes,instructions,cycles_fast,"
		      "match_fast\n"
		      "r,a.c,10,main,mmap,1,4096,0,0,0,0,exact\n"
		      "r,a.c,20,f,malloc,3,300,1,100,13,6.5,exact\n"
		      "r,a.c,20,f,free,2,200,0,0,0,0,exact\n");
	free(text);
}

static void csv_and_json_have_the_tree(void **state)
{
	char *text = report(&(struct report_options){.view = REPORT_VIEW_TREE, .format = REPORT_CSV});
	json_t *root, *node;

	(void)state;
	assert_string_equal(text, "region,node,parent,function,module,calls,recursive_calls,own_instructions,"
				  "instructions,own_cycles_fast,own_match_fast,cycles_fast,match_fast\n"
				  "r,0,,main,/bin/prog,1,0,11,29,5.75,exact,13.5,exact\n"
				  "r,1,0,f,/bin/prog,5,0,5,18,1.25,exact,7.75,exact\n"
				  "r,2,1,g<a;b>,/lib/libg.so,5,1,13,13,6.5,exact,6.5,exact\n");
	free(text);
	text = report(&(struct report_options){.view = REPORT_VIEW_TREE, .format = REPORT_JSON});
	root = json_loads(text, 0, NULL);
	node = json_array_get(json_object_get(json_array_get(json_object_get(root, "regions"), 0), "call_tree"), 1);
	assert_int_equal(json_integer_value(json_object_get(node, "parent")), 0);
	assert_int_equal(json_integer_value(json_object_get(node, "instructions")), 18);
	assert_true(json_number_value(json_array_get(json_object_get(node, "cycles"), 0)) == 7.75);
	json_decref(root);
	free(text);
}

static void functions_have_what_they_called(void **state)
{
	struct report_options options = {.by = GROUP_BY_FUNCTION, .top = 2};
	char *text = report(&options);
	json_t *root, *groups, *group;

	(void)state;
	/* main has all cycles inclusively; g, which calls itself, its own cycles. */
	assert_non_null(strstr(text, "  count  each  cycles  share  with calls   share  function\n"
				     "     13  0.50       7  48.1%           7   48.1%  g<a;b> [libg.so]\n"
				     "     11  0.52       6  42.6%          14  100.0%  main [prog]\n"
				     "      5  0.25       1   9.3%                      1 more (--top 0 for all)\n"
				     "     29  0.47      14                             total\n"));
	free(text);
	/* The figures take 55 columns, and a label 27. */
	options.width = 82;
	text = report(&options);
	assert_null(strstr(text, "not shown"));
	free(text);
	options.width = 46;
	text = report(&options);
	assert_non_null(strstr(text, "(not shown in this width: each, share, with\n  calls)\n"));
	free(text);
	options.format = REPORT_CSV;
	text = report(&options);
	assert_string_equal(text, "region,function,module,executions,iterations,cycles_fast,match_fast,"
				  "executions_with_calls,cycles_with_calls_fast,match_with_calls_fast\n"
				  "r,g<a;b>,/lib/libg.so,13,0,6.5,exact,13,6.5,exact\n"
				  "r,main,/bin/prog,11,0,5.75,exact,29,13.5,exact\n"
				  "r,f,/bin/prog,5,0,1.25,exact,18,7.75,exact\n");
	free(text);
	options.format = REPORT_JSON;
	text = report(&options);
	root = json_loads(text, 0, NULL);
	groups = json_object_get(json_array_get(json_object_get(root, "regions"), 0), "groups");
	group = json_array_get(groups, 2);
	assert_int_equal(json_integer_value(json_object_get(group, "executions_with_calls")), 18);
	group = json_array_get(json_object_get(group, "estimates"), 0);
	assert_true(json_number_value(json_object_get(group, "cycles_with_calls")) == 7.75);
	json_decref(root);
	free(text);
}

static void json_follows_the_schema(void **state)
{
	static const enum report_view views[] = {REPORT_VIEW_TREE, REPORT_VIEW_CHARGES, REPORT_VIEW_MEMORY};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(views); i++) {
		char *text = report(
			&(struct report_options){.view = views[i], .by = GROUP_BY_FUNCTION, .format = REPORT_JSON});
		FILE *check = popen("'" CHECK_JSON_SCHEMA "' /dev/stdin", "w");

		assert_non_null(check);
		fputs(text, check);
		assert_int_equal(pclose(check), 0);
		free(text);
	}
}

/* 13.5 cycles: each instruction passes its rounding error to the next. */
static void callgrind(void **state)
{
	char *text = report(&(struct report_options){.format = REPORT_CALLGRIND, .top = 20});

	(void)state;
	assert_non_null(strstr(text, "creator: itrace-" ITRACE_VERSION "\n"));
	check_golden("callgrind", strstr(text, "pid:"));
	free(text);
}

static void folded(void **state)
{
	char *text = report(&(struct report_options){.format = REPORT_FOLDED, .top = 20});

	(void)state;
	assert_string_equal(text, "r;main 6\n"
				  "r;main;f 1\n"
				  "r;main;f;g<a:b> 7\n");
	free(text);
}

static void speedscope(void **state)
{
	char *text = report(&(struct report_options){.format = REPORT_SPEEDSCOPE});
	json_t *root = json_loads(text, 0, NULL), *frames, *profile;

	(void)state;
	assert_non_null(root);
	frames = json_object_get(json_object_get(root, "shared"), "frames");
	assert_int_equal(json_array_size(frames), 3);
	assert_string_equal(json_string_value(json_object_get(json_array_get(frames, 1), "name")), "f");
	assert_string_equal(json_string_value(json_object_get(json_array_get(frames, 1), "file")), "a.c");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(frames, 1), "line")), 20);
	assert_string_equal(json_string_value(json_object_get(json_array_get(frames, 2), "file")), "/lib/libg.so");
	assert_int_equal(json_array_size(json_object_get(root, "profiles")), 2);
	profile = json_array_get(json_object_get(root, "profiles"), 0);
	assert_string_equal(json_string_value(json_object_get(profile, "name")), "r: cycles on fast");
	assert_true(json_number_value(json_object_get(profile, "endValue")) == 13.5);
	assert_int_equal(json_array_size(json_object_get(profile, "samples")), 3);
	assert_int_equal(json_array_size(json_array_get(json_object_get(profile, "samples"), 2)), 3);
	assert_true(json_number_value(json_array_get(json_object_get(profile, "weights"), 2)) == 6.5);
	profile = json_array_get(json_object_get(root, "profiles"), 1);
	assert_string_equal(json_string_value(json_object_get(profile, "name")), "r: instructions");
	assert_int_equal(json_integer_value(json_object_get(profile, "endValue")), 29);
	json_decref(root);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_shows_the_tree),
		cmocka_unit_test(libraries_are_charged_to_the_line_that_asked),
		cmocka_unit_test(csv_and_json_have_the_tree),
		cmocka_unit_test(memory_has_its_lines),
		cmocka_unit_test(functions_have_what_they_called),
		cmocka_unit_test(json_follows_the_schema),
		cmocka_unit_test(callgrind),
		cmocka_unit_test(folded),
		cmocka_unit_test(speedscope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
