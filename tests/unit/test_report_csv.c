#include "report_fixture.h"

static void check_report(const struct profile *profile, struct model *const *models, size_t n_models,
			 enum profile_group_by by, const char *expected)
{
	char *text = make_report(profile, models, n_models,
				 &(struct report_options){.format = REPORT_CSV, .by = by, .top = 1});

	assert_string_equal(text, expected);
	free(text);
}

static void a_row_for_each_form(void **state)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(CAREFUL_COST, NULL)};
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_report(&profile, models, 2, GROUP_BY_FORM,
		     "region,form,mnemonic,category,isa_extension,executions,iterations,"
		     "cycles_fast,match_fast,cycles_careful,match_careful\n"
		     "deflate,JNZ rel8,JNZ,condbranch,base,300,0,300,exact,300,exact\n"
		     "deflate,\"ADD r64, r64\",ADD,binary,base,1000,0,250,exact,1000,exact\n"
		     "deflate,\"MOVZX r32, m8\",MOVZX,datatransfer,base,400,0,200,exact,1600,exact\n"
		     "deflate,REP STOSB m8,STOSB,string,base,2,600,60,exact,40,exact\n"
		     "deflate,\"SHL r64, imm8\",SHL,shift,base,100,0,50,fallback,100,exact\n"
		     "deflate,\"PXOR xmm, xmm\",PXOR,logical,sse2,50,0,,unknown,50,exact\n");
	profile_deinit(&profile);
	model_destroy(models[0]);
	model_destroy(models[1]);
}

static void a_row_for_each_group(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	make_profile(&profile);
	check_report(&profile, &model, 1, GROUP_BY_FUNCTION,
		     "region,function,module,executions,iterations,cycles_fast,match_fast\n"
		     "deflate,compress,/usr/lib/libz.so.1,1700,0,775,fallback\n"
		     "deflate,(no function),,2,600,60,exact\n"
		     "deflate,copy,/usr/lib/libz.so.1,150,0,25,partial\n");
	check_report(&profile, &model, 1, GROUP_BY_ISA_EXTENSION,
		     "region,isa_extension,executions,iterations,cycles_fast,match_fast\n"
		     "deflate,base,1802,600,860,fallback\n"
		     "deflate,sse2,50,0,,unknown\n");
	profile_deinit(&profile);
	model_destroy(model);
}

static void a_row_for_each_place(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;

	(void)state;
	make_located_profile(&profile);
	check_report(&profile, &model, 1, GROUP_BY_FILE,
		     "region,file,module,executions,iterations,cycles_fast,match_fast\n"
		     "deflate,/src/deflate.c,,1600,0,725,exact\n"
		     "deflate,,,2,600,60,exact\n"
		     "deflate,/src/hash.h,,100,0,50,fallback\n"
		     "deflate,/other/hash.h,,100,0,25,exact\n"
		     "deflate,,/usr/lib/libz.so.1,50,0,,unknown\n");
	check_report(&profile, &model, 1, GROUP_BY_COLUMN,
		     "region,file,line,column,function,module,executions,iterations,cycles_fast,match_fast,runs\n"
		     "deflate,/src/deflate.c,12,2,compress,,300,0,300,exact,300\n"
		     "deflate,/src/deflate.c,10,3,compress,,900,0,225,exact,900\n"
		     "deflate,/src/deflate.c,10,9,compress,,400,0,200,exact,400\n"
		     "deflate,,,,,,2,600,60,exact,2\n"
		     "deflate,/src/hash.h,5,1,hash,,100,0,50,fallback,100\n"
		     "deflate,/other/hash.h,5,1,copy,,100,0,25,exact,100\n"
		     "deflate,,,,copy,/usr/lib/libz.so.1,50,0,,unknown,50\n");
	check_report(&profile, &model, 1, GROUP_BY_INLINED,
		     "region,calls,module,executions,iterations,cycles_fast,match_fast\n"
		     "deflate,compress,/usr/lib/libz.so.1,1600,0,725,exact\n"
		     "deflate,(no function),,2,600,60,exact\n"
		     "deflate,hash <- compress (deflate.c:12),/usr/lib/libz.so.1,100,0,50,fallback\n"
		     "deflate,copy,/usr/lib/libz.so.1,150,0,25,partial\n");
	profile_deinit(&profile);
	model_destroy(model);
}

static void fractions_are_exact_and_names_are_quoted(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;
	uint32_t region, handlers;

	(void)state;
	profile_init(&profile);
	region = make_region(&profile, "a \"b\",\nc\xff", PROFILE_NONE);
	handlers = make_region(&profile, "", region);
	make_unreached_region(&profile, "never");
	profile_count(&profile, region, make_insn(&profile, "DIV r64", "binary", "base", PROFILE_NONE), 3, 0);
	profile_count(&profile, handlers, make_insn(&profile, "DIV r64", "binary", "base", PROFILE_NONE), 100, 0);
	check_report(&profile, &model, 1, GROUP_BY_MNEMONIC,
		     "region,mnemonic,executions,iterations,cycles_fast,match_fast\n"
		     "\"a \"\"b\"\",\\x0Ac\\xFF\",DIV,3,0,63.999,exact\n"
		     "\"a \"\"b\"\",\\x0Ac\\xFF: in signal handlers\",DIV,100,0,2133.3,exact\n");
	profile_deinit(&profile);
	model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_for_each_form),
		cmocka_unit_test(a_row_for_each_group),
		cmocka_unit_test(a_row_for_each_place),
		cmocka_unit_test(fractions_are_exact_and_names_are_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
