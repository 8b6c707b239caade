/* The output of `itrace models`. */
#include "model_fixture.h"

#include <stdio_ext.h>
#include <sys/wait.h>

#include <jansson.h>

#include "cli/commands.h"

#define MAX_OUTPUT 65536

static char output[MAX_OUTPUT], errors[MAX_OUTPUT];

static void read_back(FILE *file, char text[MAX_OUTPUT])
{
	rewind(file);
	text[fread(text, 1, MAX_OUTPUT - 1, file)] = '\0';
	fclose(file);
}

/* Runs the command with `input` as standard input, or none if NULL. Keeps its output in `output` and `errors`. */
static int run(const char *input, int argc, char **argv)
{
	FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
	int saved[3], status;

	fflush(stdout);
	fflush(stderr);
	fputs(input ? input : "", in);
	rewind(in);
	for (int i = 0; i < 3; i++) {
		saved[i] = dup(i);
		dup2(fileno(i == 0 ? in : i == 1 ? out : err), i);
	}
	__fpurge(stdin); /* input that the previous run left unread */
	clearerr(stdin);
	status = cli_run(argc, argv);
	fflush(stdout);
	fflush(stderr);
	for (int i = 0; i < 3; i++) {
		dup2(saved[i], i);
		close(saved[i]);
	}
	fclose(in);
	read_back(out, output);
	read_back(err, errors);
	return status;
}

#define RUN(input, ...)                                                                    \
	run(input, (int)ARRAY_LENGTH(((const char *[]){"itrace", "models", __VA_ARGS__})), \
	    (char **)(const char *[]){"itrace", "models", __VA_ARGS__, NULL})

static void check_line(const char *line)
{
	if (!strstr(output, line))
		fail_msg("no '%s' in\n%s", line, output);
}

static void list(void **state)
{
	char *argv[] = {"itrace", "models", NULL};

	(void)state;
	write_file("toy.cost",
		   HEADER "vendor = V\nyear = 1999\n[forms]\nADD r64, m64 | 6 | 0.5 | 2 | p0:1\nRET | 1 | 1\n");
	write_file("plain.cost",
		   "itrace-cost-model 1\nname = plain\ntitle = P\nrank = latency\nsource = s\n[forms]\nRET|1\n");
	write_file("zz.cost", "itrace-cost-model 1\n");
	assert_int_equal(run(NULL, 2, argv), 0);
	check_line("  year   rows  estimator  source\n");
	check_line("1999      2  table      made up\n");
	check_line("   -      1  table      s\n");
	check_line("zz.cost:1: the header lacks 'name'\n");
	assert_string_equal(errors, "");
}

/* The exit status of tests/check-json-schema for the last output. */
static int check_schema(void)
{
	char *command;
	int status;

	write_file("models.json", output);
	command = xasprintf("'%s' --models '%s/models.json'", CHECK_JSON_SCHEMA, folder);
	status = system(command);
	free(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Needs the models that list() wrote. The folder has no model of this machine unless a test writes one. */
static void list_json(void **state)
{
	json_t *root, *models, *host;

	(void)state;
	assert_int_equal(RUN(NULL, "--format", "json"), 0);
	assert_int_equal(check_schema(), 0);
	root = json_loads(output, 0, NULL);
	assert_int_equal(json_integer_value(json_object_get(root, "format")), 1);
	models = json_object_get(root, "models");
	assert_int_equal(json_array_size(models), 3);
	assert_string_equal(json_string_value(json_object_get(json_array_get(models, 1), "name")), "toy");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(models, 1), "rows")), 2);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(models, 1), "year")), 1999);
	assert_non_null(
		strstr(json_string_value(json_object_get(json_array_get(models, 2), "problem")), "lacks 'name'"));
	host = json_object_get(root, "host");
	assert_true(json_is_null(json_object_get(host, "name")));
	assert_true(json_is_string(json_object_get(host, "problem")));
	json_decref(root);
	/* The schema rejects unknown keys. */
	memcpy(strstr(output, "\"rows\""), "\"rowz\"", 6);
	assert_int_equal(check_schema(), 1);
	assert_int_equal(RUN(NULL, "--format=json", "form", "90"), 125);
	assert_string_equal(errors, "itrace: models: --format json is for the list of models; leave out 'form'\n");
	assert_int_equal(RUN(NULL, "--format=yaml"), 125);
	assert_string_equal(errors, "itrace: --format: expected text or json, got 'yaml'\n");
}

static void show(void **state)
{
	(void)state;
	assert_int_equal(RUN(NULL, "show", "toy", "ADD r64, m64"), 0);
	assert_memory_equal(output,
			    "model       toy, A toy\n"
			    "form        ADD r64, m64\n"
			    "match       exact\n"
			    "via         ADD r64, m64\n"
			    "latency     6\n"
			    "throughput  0.5\n"
			    "uops        2\n"
			    "ports       p0:1\n"
			    "row         /",
			    127);
	check_line("/toy.cost:9\nsource      made up\n");
	assert_int_equal(RUN(NULL, "show", "toy", "ADD r32, m32"), 0);
	check_line("match       fallback\nvia         ADD r64, m64\nrule        operand of another width\n");
	assert_int_equal(RUN(NULL, "show", "toy", "CPUID"), 0);
	assert_string_equal(output, "model       toy, A toy\n"
				    "form        CPUID\n"
				    "match       unknown\n"
				    "hint        a form is a mnemonic and its operands, as 'ADD r64, m64'; "
				    "'itrace models form HEX' prints that of an instruction\n"
				    "source      made up\n");
	assert_int_equal(RUN(NULL, "show", MODELS_DIR "/vax8800.cost", "REP STOSB m8"), 0);
	check_line("via         MOVC5\nwhy         move characters of an empty string: a fill, by bytes\n"
		   "latency     52\nthroughput  52\niteration   0.381\n");
}

static void form(void **state)
{
	(void)state;
	assert_int_equal(RUN(NULL, "form", "48", "0303"), 0);
	check_line("form         ADD r64, m64\n");
	check_line("category     binary\nextension    base\n");
	check_line("  latency  throughput  via\n");
	check_line("        6         0.5  ADD r64, m64\n");
	check_line("        -           -  unknown\n"); /* plain */
	check_line("        -           -  does not load\n");
	assert_int_equal(RUN(NULL, "form", "03 03"), 0);
	check_line("        6         0.5  ADD r64, m64 (operand of another width)\n");
}

static void forms_of_lines(void **state)
{
	(void)state;
	assert_int_equal(RUN("480303\nF3 aa\r\n0f\n480303", "form", "-"), 0);
	assert_string_equal(output, "480303\tADD r64, m64\n"
				    "F3 aa\tREP STOSB m8\n"
				    "0f\t(undecodable)\n"
				    "480303\tADD r64, m64\n");
	assert_int_equal(RUN("", "form", "-"), 0);
	assert_string_equal(output, "");
	assert_int_equal(RUN("90\n9\n90\n", "form", "-"), 125);
	assert_string_equal(output, "90\tNOP\n");
	assert_string_equal(errors, "itrace: line 2 of the input: expected 1 to 15 bytes in hexadecimal, got '9'\n");
	assert_int_equal(RUN("90\n\n", "form", "-"), 125);
	assert_string_equal(errors, "itrace: line 2 of the input: expected 1 to 15 bytes in hexadecimal, got ''\n");
}

static void check_files(void **state)
{
	char *good = xasprintf("%s/toy.cost", folder), *bad = xasprintf("%s/zz.cost", folder);

	(void)state;
	assert_int_equal(RUN(NULL, "check", good), 0);
	assert_string_equal(output, "");
	assert_string_equal(errors, "");
	assert_int_equal(RUN(NULL, "check", bad, good, "/nonexistent.cost"), 125);
	assert_non_null(strstr(errors, "/zz.cost:1: the header lacks 'name'\nitrace: "));
	assert_non_null(strstr(errors, "/zz.cost:1: the header lacks 'source'\n"));
	assert_non_null(strstr(errors, "itrace: cannot read /nonexistent.cost: No such file or directory\n"));
	free(good);
	free(bad);
}

static void wrong_usage(void **state)
{
	(void)state;
	assert_int_equal(RUN(NULL, "lst"), 125);
	assert_string_equal(
		errors,
		"itrace: models: expected show, form, check or import, got 'lst'; try 'itrace models --help'\n");
	assert_int_equal(RUN(NULL, "show", "toy"), 125);
	assert_string_equal(
		errors,
		"itrace: models show: expected a model and a form, got 1 argument; try 'itrace models --help'\n");
	assert_int_equal(RUN(NULL, "form"), 125);
	assert_string_equal(
		errors,
		"itrace: models form: expected the bytes of an instruction in hexadecimal, or -, got 0 arguments; "
		"try 'itrace models --help'\n");
	assert_int_equal(RUN(NULL, "form", "4g"), 125);
	assert_string_equal(errors, "itrace: expected the 1 to 15 bytes of one instruction in hexadecimal, got '4g'\n");
	assert_int_equal(RUN(NULL, "form", "90909090909090909090909090909090"), 125);
	assert_int_equal(RUN(NULL, "form", "0f"), 125);
	assert_string_equal(errors, "itrace: these bytes are no complete instruction of 64-bit mode\n");
	assert_int_equal(RUN(NULL, "form", "9090"), 125);
	assert_string_equal(errors, "itrace: expected one instruction, which ends after 1 of these 2 bytes; "
				    "'itrace models form -' reads one from each line\n");
	assert_int_equal(RUN(NULL, "show", "tyo", "RET"), 125);
	assert_memory_equal(errors, "itrace: no cost model named 'tyo'; closest: toy", 47);
	assert_int_equal(RUN(NULL, "show", "zz", "RET"), 125);
	assert_non_null(strstr(errors, "/zz.cost:1: the header lacks 'name'\n"));
	assert_string_equal(output, "");
	assert_int_equal(RUN(NULL, "--help"), 0);
	assert_memory_equal(output, "Usage: itrace models", 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list),	       cmocka_unit_test(list_json),	 cmocka_unit_test(show),
		cmocka_unit_test(form),	       cmocka_unit_test(forms_of_lines), cmocka_unit_test(check_files),
		cmocka_unit_test(wrong_usage),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
