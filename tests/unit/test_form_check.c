#include "cli/form_check.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "costmodels/model/model.h"
#include "costmodels/model/text_file.h"

static struct form_check check;

static void forms_that_no_instruction_has(void **state)
{
	static const struct {
		const char *form, *nearest; /* NULL: none */
	} rows[] = {
		{"MOV r32 r32", "'MOV r32, r32'"},
		{"SUB r32, r99", "'SUB r32, r32'"},
		{"ADD r64, imm64", "'ADD r64, imm"},
		{"LEA r64, [b+i*x]", "'LEA r64, [b+i*s]'"},
		{"LOCK ADD r64, r64", "'LOCK ADD m64, r64'"},
		{"SHL r32", "'SHL r32, "},
		{"VADDPS xmm, ymm, xmm", "'VADDPS xmm, xmm, xmm'"},
		{"MUL r32, r64", "'MUL r32'"},
		{"NOPE", NULL},
		{"FOO bar", NULL},
		{"LOKC * m*", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		char *problem = form_check_explain(&check, rows[i].form);

		if (!problem || (rows[i].nearest && !strstr(problem, rows[i].nearest)))
			fail_msg("'%s': %s", rows[i].form, problem ? problem : "accepted");
		free(problem);
	}
}

static void forms_of_instructions(void **state)
{
	static const char *const forms[] = {
		"RET",
		"mov R32, r32",
		"LEA r16, [b+i*s+d]",
		"XOR r32, r32 (same)",
		"LOCK ADD m64, r64",
		"LOCK * m*",
		"REP STOSB m8",
		"VADDPS zmm{k}{z}, zmm, m32{1to16}",
		"PUSH r32",
		"DAA",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(forms); i++) {
		char *problem = form_check_explain(&check, forms[i]);

		if (problem)
			fail_msg("%s", problem);
		free(problem);
	}
}

static void rows_of_installed_models(void **state)
{
	const struct model_form_check form_check = {form_check_explain, &check};
	DIR *folder = opendir(MODELS_DIR);
	const struct dirent *entry;
	size_t n = 0;

	(void)state;
	assert_non_null(folder);
	assert_int_equal(setenv("ITRACE_MODEL_PATH", MODELS_DIR, 1), 0);
	while ((entry = readdir(folder))) {
		struct text_problems problems = {0};
		char *path;

		if (!strstr(entry->d_name, ".cost"))
			continue;
		path = xasprintf(MODELS_DIR "/%s", entry->d_name);
		model_check(path, &form_check, &problems);
		if (problems.n_texts)
			fail_msg("%s", problems.texts[0]);
		free(path);
		n++;
	}
	closedir(folder);
	assert_true(n >= 28);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_that_no_instruction_has),
		cmocka_unit_test(forms_of_instructions),
		cmocka_unit_test(rows_of_installed_models),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	form_check_deinit(&check);
	return failed;
}
