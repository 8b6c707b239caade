/* The table of options is consistent. The command line overrides the environment, which overrides defaults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "cli/options/option.h"
#include "costmodels/model/host.h"

static void names_are_unique_in_each_command(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_option_rows; i++)
		for (size_t k = 0; k < i; k++) {
			const struct option_row *a = &option_rows[i], *b = &option_rows[k];

			if (!a->name || !b->name || !(a->commands & b->commands & ~COMMAND_BIT_SAVED))
				continue;
			if (strcmp(a->name, b->name) == 0 || (a->letter && a->letter == b->letter))
				fail_msg("a command has --%s and --%s", a->name, b->name);
		}
}

static void defaults_are_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_option_rows; i++) {
		struct options options = {0};
		struct error err = {0};

		if (option_rows[i].default_value &&
		    !option_set(&option_rows[i], &options, option_rows[i].default_value, "default", &err))
			fail_msg("--%s: %s", option_rows[i].name, err.text);
	}
}

static void check_term(const struct option_row *row, char *term)
{
	char *value = term + (*term == '!'), *name = strsep(&value, "=");
	bool is_name = false;

	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *other = &option_rows[i];

		if (!other->name || strcmp(other->name, name) != 0)
			continue;
		is_name = true;
		for (size_t k = 0; k < other->n_choices && value; k++)
			if (strcmp(other->choices[k], value) == 0)
				value = NULL;
		if (other->kind == OPTION_NUMBER || other->kind == OPTION_TEXT)
			value = NULL;
	}
	if (!is_name || value)
		fail_msg("a rule of --%s: no option or value %s", row->name, term);
}

static void rules_name_options(void **state)
{
	size_t n_terms = 0;

	(void)state;
	for (size_t i = 0; i < n_option_rows; i++)
		for (size_t k = 0; k < 2 * OPTION_MAX_RULES; k++) {
			const struct option_row *row = &option_rows[i];
			const struct option_rule *rule = k < OPTION_MAX_RULES ? &row->useful_if[k]
									      : &row->allowed_if[k - OPTION_MAX_RULES];
			char *copy, *rest;

			if (!rule->condition)
				continue;
			assert_true(strlen(rule->condition) < OPTION_MAX_CONDITION);
			assert_non_null(rule->sentence);
			copy = rest = xstrdup(rule->condition);
			for (char *term; (term = strsep(&rest, " |")); n_terms++)
				check_term(row, term);
			free(copy);
		}
	assert_true(n_terms > 20);
}

/* Parses a correct command line of words separated by blanks. Values stay valid for some calls. */
static struct options read_line(enum command command, const char *line)
{
	static char copies[16][64];
	static size_t n_copies;
	char *rest = strcpy(copies[n_copies++ % ARRAY_LENGTH(copies)], line);
	char *argv[8] = {"itrace"}, *word;
	struct options options;
	int argc = 1, status;

	while ((word = strsep(&rest, " ")))
		argv[argc++] = word;
	assert_true(options_read(&options, command, argc, argv, &status));
	return options;
}

static void precedence(void **state)
{
	struct options options = read_line(COMMAND_RUN, "true");

	(void)state;
	assert_int_equal(options.report.top, 20);
	assert_string_equal(options.models, "skylake,vax8800");
	assert_false(options.disable_aslr || options.report.is_by_given);
	setenv("ITRACE_TOP", "7", 1);
	setenv("ITRACE_NO_ASLR", "1", 1);
	setenv("ITRACE_ALL", "0", 1);
	setenv("ITRACE_TRACE", "1", 1);
	options = read_line(COMMAND_RUN, "true");
	assert_int_equal(options.report.top, 7);
	assert_true(options.disable_aslr && options.trace && !options.trace_path && !options.whole_program);
	setenv("ITRACE_TRACE", "file", 1);
	assert_string_equal(read_line(COMMAND_RUN, "true").trace_path, "file");
	assert_null(read_line(COMMAND_RUN, "--trace true").trace_path);
	options = read_line(COMMAND_RUN, "--top 3 --trace=x true -x");
	assert_int_equal(options.report.top, 3);
	assert_string_equal(options.trace_path, "x");
	assert_int_equal(options.n_arguments, 2);
	assert_int_equal(read_line(COMMAND_COMPARE, "F").report.top, 7);
	/* Variables do not apply to this command. */
	assert_int_equal(read_line(COMMAND_SAMPLE, "true").report.top, 20);
	unsetenv("ITRACE_TOP");
	unsetenv("ITRACE_NO_ASLR");
	unsetenv("ITRACE_ALL");
	unsetenv("ITRACE_TRACE");
}

/* The first default model is this machine's, if it is installed. */
static void the_first_default_model_is_the_host(void **state)
{
	char folder[] = "/tmp/itrace-test-XXXXXX", *path;
	struct error err = {0};
	struct host_cpu cpu;
	FILE *file;

	(void)state;
	if (!host_find(&cpu, &err) || !cpu.is_exact)
		skip();
	assert_non_null(mkdtemp(folder));
	setenv("ITRACE_MODEL_PATH", folder, 1);
	assert_string_equal(read_line(COMMAND_RUN, "true").models, "skylake,vax8800");
	assert_string_equal(read_line(COMMAND_ANNOTATE, "true").models, "skylake");
	path = xasprintf("%s/%s.cost", folder, cpu.model);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_string_equal(read_line(COMMAND_RUN, "true").models, "host,skylake,vax8800");
	assert_string_equal(read_line(COMMAND_RUN, "--compare true").models, "host,skylake,vax8800");
	assert_string_equal(read_line(COMMAND_ANNOTATE, "true").models, "host");
	assert_string_equal(read_line(COMMAND_RUN, "--model zen4,skylake true").models, "zen4,skylake");
	unlink(path);
	rmdir(folder);
	unsetenv("ITRACE_MODEL_PATH");
	free(path);
}

static void levels_of_the_instruction_set(void **state)
{
	struct options options = read_line(COMMAND_RUN, "--isa x86-64-v3 true");

	(void)state;
	assert_true(options.limits_isa);
	assert_int_equal(options.isa, ISA_X86_64_V3);
	assert_int_equal(read_line(COMMAND_SAMPLE, "--isa=x86-64 true").isa, ISA_X86_64);
	assert_false(read_line(COMMAND_RUN, "true").limits_isa);
}

static void defaults_depend_on_other_options(void **state)
{
	struct options options = read_line(COMMAND_RUN, "--compare true");

	(void)state;
	assert_int_equal(options.report.top, 10);
	assert_string_equal(options.models, "skylake,vax8800");
	assert_string_equal(read_line(COMMAND_RUN, "--compare -m zen4 true").models, "zen4");
	assert_int_equal(read_line(COMMAND_BLOCK, "-").report.format, REPORT_CSV);
	assert_int_equal(read_line(COMMAND_BLOCK, "--format text -").report.format, REPORT_TEXT);
	assert_true(read_line(COMMAND_RECORD, "--caches true").pipeline);
	assert_string_equal(read_line(COMMAND_RECORD, "--caches true").models, read_line(COMMAND_RUN, "true").models);
	assert_int_equal(read_line(COMMAND_BLOCK, "--timeline=3 --hex 90").timeline_iterations, 3);
	assert_int_equal(read_line(COMMAND_BLOCK, "--timeline=3 --timeline --hex 90").timeline_iterations, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_unique_in_each_command),
		cmocka_unit_test(defaults_are_values),
		cmocka_unit_test(rules_name_options),
		cmocka_unit_test(precedence),
		cmocka_unit_test(the_first_default_model_is_the_host),
		cmocka_unit_test(levels_of_the_instruction_set),
		cmocka_unit_test(defaults_depend_on_other_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
