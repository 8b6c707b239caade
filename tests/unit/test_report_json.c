#include "report_fixture.h"

#include <sys/wait.h>

#include <jansson.h>

static json_t *make_json(const struct profile *profile, struct model *const *models, size_t n_models,
			 const struct report_options *options)
{
	char *text = make_report(profile, models, n_models, options);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("%s in %s", error.text, text);
	assert_int_equal(text[strlen(text) - 1], '\n');
	free(text);
	return root;
}

static const char *string(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	assert_true(json_is_string(value));
	return json_string_value(value);
}

static long long integer(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static json_t *item(json_t *object, const char *key, size_t index)
{
	json_t *value = json_array_get(json_object_get(object, key), index);

	assert_non_null(value);
	return value;
}

static void assert_json_null(json_t *object, const char *key)
{
	assert_true(json_is_null(json_object_get(object, key)));
}

/* The keys and values that other tools rely on. */
static void the_promised_keys(void **state)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(OLD_COST, OLD_MAP)};
	struct profile profile;
	json_t *root, *region, *form, *estimate, *coverage, *program;

	(void)state;
	make_profile(&profile);
	root = make_json(&profile, models, 2, &(struct report_options){.format = REPORT_JSON, .top = 1});
	assert_int_equal(integer(root, "format"), 1);
	assert_int_equal(json_array_size(json_object_get(root, "regions")), 1);

	region = item(root, "regions", 0);
	assert_string_equal(string(region, "name"), "deflate");
	assert_int_equal(integer(region, "visits"), 1);
	assert_int_equal(integer(region, "instructions"), 1852);

	/* All forms, whatever `top` is in the text. */
	assert_int_equal(json_array_size(json_object_get(region, "forms")), 6);
	form = item(region, "forms", 3);
	assert_string_equal(string(form, "form"), "REP STOSB m8");
	assert_string_equal(string(form, "mnemonic"), "STOSB");
	assert_int_equal(integer(form, "executions"), 2);
	assert_int_equal(integer(form, "iterations"), 600);

	assert_int_equal(json_array_size(json_object_get(region, "syscalls")), 2);
	assert_string_equal(string(item(region, "syscalls", 0), "name"), "read");
	assert_int_equal(integer(item(region, "syscalls", 0), "number"), 0);
	assert_int_equal(integer(item(region, "syscalls", 0), "count"), 2);

	estimate = item(region, "estimates", 0);
	assert_string_equal(string(estimate, "model"), "fast");
	assert_string_equal(string(estimate, "estimator"), "table");
	assert_int_equal(integer(estimate, "cycles"), 860);
	assert_int_equal(integer(estimate, "latency_cycles"), 3480);
	assert_int_equal(integer(estimate, "time_ns"), 215);
	coverage = json_object_get(estimate, "coverage");
	assert_int_equal(integer(coverage, "exact"), 1702);
	assert_int_equal(integer(coverage, "fallback"), 100);
	assert_int_equal(integer(coverage, "unknown"), 50);
	assert_int_equal(integer(item(region, "estimates", 1), "cycles"), 8138);
	assert_int_equal(integer(item(region, "estimates", 1), "time_ns"), 366210);

	program = json_object_get(root, "program");
	assert_int_equal(json_array_size(json_object_get(program, "argv")), 1);
	assert_string_equal(json_string_value(item(program, "argv", 0)), "./compress");
	assert_int_equal(integer(program, "exit_status"), 0);
	assert_json_null(program, "signal");
	json_decref(root);
	profile_deinit(&profile);
	model_destroy(models[0]);
	model_destroy(models[1]);
}

static void each_form_says_where_its_figures_come_from(void **state)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(OLD_COST, OLD_MAP)};
	struct profile profile;
	json_t *root, *region, *on_fast, *on_old;

	(void)state;
	make_profile(&profile);
	root = make_json(&profile, models, 2, &(struct report_options){.format = REPORT_JSON});
	region = item(root, "regions", 0);

	on_old = item(item(region, "forms", 1), "estimates", 1);
	assert_string_equal(string(on_old, "match"), "exact");
	assert_string_equal(string(on_old, "via"), "ADDL2+ADWC");
	assert_json_null(on_old, "rule");

	on_fast = item(item(region, "forms", 4), "estimates", 0);
	assert_string_equal(string(on_fast, "match"), "fallback");
	assert_string_equal(string(on_fast, "via"), "SHL r64, imm32");
	assert_true(strlen(string(on_fast, "rule")) > 0);
	assert_int_equal(integer(on_fast, "cycles"), 50);

	/* A missing figure is null, never 0. */
	on_fast = item(item(region, "forms", 5), "estimates", 0);
	assert_string_equal(string(on_fast, "match"), "unknown");
	assert_json_null(on_fast, "cycles");
	assert_json_null(on_fast, "via");
	json_decref(root);
	profile_deinit(&profile);
	model_destroy(models[0]);
	model_destroy(models[1]);
}

static void groups_come_beside_the_forms(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;
	json_t *root, *region, *group;

	(void)state;
	make_profile(&profile);
	root = make_json(&profile, &model, 1, &(struct report_options){.format = REPORT_JSON, .by = GROUP_BY_FUNCTION});
	region = item(root, "regions", 0);
	assert_int_equal(json_array_size(json_object_get(region, "forms")), 6);
	assert_string_equal(string(region, "grouped_by"), "function");
	assert_int_equal(json_array_size(json_object_get(region, "groups")), 3);
	group = item(region, "groups", 2);
	assert_string_equal(string(group, "name"), "copy");
	assert_string_equal(string(group, "module"), "/usr/lib/libz.so.1");
	assert_int_equal(integer(group, "executions"), 150);
	assert_int_equal(integer(item(group, "estimates", 0), "cycles"), 25);
	assert_int_equal(integer(item(group, "estimates", 0), "unknown"), 50);
	assert_json_null(item(region, "groups", 1), "module");
	json_decref(root);

	root = make_json(&profile, &model, 1, &(struct report_options){.format = REPORT_JSON});
	assert_false(json_object_get(item(root, "regions", 0), "groups"));
	json_decref(root);
	profile_deinit(&profile);
	model_destroy(model);
}

static void places_have_their_parts(void **state)
{
	struct model *model = make_model(FAST_COST, NULL);
	struct profile profile;
	json_t *root, *region, *group;

	(void)state;
	make_located_profile(&profile);
	root = make_json(&profile, &model, 1, &(struct report_options){.format = REPORT_JSON, .by = GROUP_BY_COLUMN});
	region = item(root, "regions", 0);
	assert_string_equal(string(region, "grouped_by"), "column");
	group = item(region, "groups", 0);
	assert_string_equal(string(group, "name"), "/src/deflate.c:12:2");
	assert_string_equal(string(group, "file"), "/src/deflate.c");
	assert_int_equal(integer(group, "line"), 12);
	assert_int_equal(integer(group, "column"), 2);
	assert_string_equal(string(group, "function"), "compress");
	group = item(region, "groups", 3);
	assert_json_null(group, "file");
	assert_json_null(group, "line");
	json_decref(root);

	root = make_json(&profile, &model, 1, &(struct report_options){.format = REPORT_JSON, .by = GROUP_BY_INLINED});
	group = item(item(root, "regions", 0), "groups", 2);
	assert_string_equal(string(group, "function"), "hash");
	assert_int_equal(json_array_size(json_object_get(group, "calls")), 1);
	group = item(group, "calls", 0);
	assert_string_equal(string(group, "function"), "hash");
	assert_string_equal(string(group, "file"), "/src/deflate.c");
	assert_int_equal(integer(group, "line"), 12);
	assert_int_equal(integer(group, "column"), 7);
	json_decref(root);
	profile_deinit(&profile);
	model_destroy(model);
}

/* Compares the text, because a parser would round. */
static void cycles_are_exact(void **state)
{
	static const struct {
		uint64_t executions;
		const char *cycles;
	} rows[] = {
		{1, "21.333"},
		{1000, "21333"},
		{100, "2133.3"},
		{3, "63.999"},
		{46875732433, "999999999993.189"},     /* the last below 10^12 */
		{46875732434, "1000000000015"},	       /* ...014.522 */
		{200000000000003, "4266600000000064"}, /* ...063.999 */
	};
	struct model *model = make_model(FAST_COST, NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct profile profile;
		uint32_t region;
		char *text, *expected;

		profile_init(&profile);
		region = make_region(&profile, "r", PROFILE_NONE);
		profile_count(&profile, region, make_insn(&profile, "DIV r64", "binary", "base", PROFILE_NONE),
			      rows[i].executions, 0);
		text = make_report(&profile, &model, 1, &(struct report_options){.format = REPORT_JSON});
		expected = xasprintf("\"cycles\": %s,", rows[i].cycles);
		if (!strstr(text, expected))
			fail_msg("no %s in %s", expected, text);
		free(expected);
		free(text);
		profile_deinit(&profile);
	}
	model_destroy(model);
}

static void any_name_gives_valid_json(void **state)
{
	struct model *model = make_model(CAREFUL_COST, NULL);
	struct profile profile;
	json_t *root;

	(void)state;
	profile_init(&profile);
	profile.argv = xcalloc(3, sizeof(*profile.argv));
	profile.argv[0] = xstrdup("s/\"\\\n\033//");
	profile.argv[1] = xstrdup("\xff\xc3\xb6\xed\xa0\x80");
	make_region(&profile, "r\x01\xfe", PROFILE_NONE);
	profile_note(&profile, "\x80");
	root = make_json(&profile, &model, 1, &(struct report_options){.format = REPORT_JSON});
	assert_string_equal(json_string_value(item(json_object_get(root, "program"), "argv", 0)), "s/\"\\\n\033//");
	assert_string_equal(json_string_value(item(json_object_get(root, "program"), "argv", 1)),
			    "\\xFF\xc3\xb6\\xED\\xA0\\x80");
	assert_string_equal(string(item(root, "regions", 0), "name"), "r\x01\\xFE");
	assert_string_equal(json_string_value(item(root, "notes", 0)), "\\x80");
	json_decref(root);
	profile_deinit(&profile);
	model_destroy(model);
}

static void make_everything(struct profile *profile)
{
	make_profile(profile);
	make_region(profile, "deflate", 0);
	make_unreached_region(profile, "inflate");
	profile_note(profile, "a note");
	profile->exited = false;
	profile->signal = 11;
	profile->regions[0].tracing_ns = 5;
	profile->wall_ns = 7;
}

static void endings_handlers_and_unreached_regions(void **state)
{
	struct model *model = make_model(CAREFUL_COST, NULL);
	struct profile profile;
	json_t *root, *program;

	(void)state;
	make_everything(&profile);
	root = make_json(&profile, &model, 1, &(struct report_options){.format = REPORT_JSON});
	program = json_object_get(root, "program");
	assert_json_null(program, "exit_status");
	assert_int_equal(integer(program, "signal"), 11);
	assert_json_null(item(root, "regions", 0), "signal_handlers_of");
	assert_string_equal(string(item(root, "regions", 1), "signal_handlers_of"), "deflate");
	assert_string_equal(string(item(root, "unreached_regions", 0), "name"), "inflate");
	/* Careful has no clock. */
	assert_json_null(item(item(root, "regions", 0), "estimates", 0), "time_ns");
	assert_json_null(item(root, "models", 0), "cycle_ps");
	json_decref(root);
	profile_deinit(&profile);
	model_destroy(model);
}

/* The exit status of tests/check-json-schema for this text. */
static int check_schema(const char *text)
{
	char path[] = "/tmp/itrace-test-XXXXXX";
	int fd = mkstemp(path);
	char *command;
	int status;

	assert_true(fd >= 0);
	close(fd);
	write_file(path, text);
	command = xasprintf("'%s' %s >/dev/null", CHECK_JSON_SCHEMA, path);
	status = system(command);
	free(command);
	unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Checks the text with the first occurrence of `from` replaced. */
static int check_schema_with(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *changed;
	int status;

	assert_non_null(at);
	changed = xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	status = check_schema(changed);
	free(changed);
	return status;
}

static void models_have_notes(void **state)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(NOTED_COST, NULL)};
	struct profile profile;
	json_t *root;

	(void)state;
	make_everything(&profile);
	root = make_json(&profile, models, 2, &(struct report_options){.format = REPORT_JSON});
	assert_null(json_object_get(item(root, "models", 0), "note"));
	assert_string_equal(json_string_value(json_object_get(item(root, "models", 1), "note")),
			    "the figures of another");
	json_decref(root);
	profile_deinit(&profile);
	model_destroy(models[0]);
	model_destroy(models[1]);
}

static void reports_keep_to_the_schema(void **state)
{
	struct model *models[] = {make_model(FAST_COST, NULL), make_model(CAREFUL_COST, NULL),
				  make_model(OLD_COST, OLD_MAP), make_model(PAIRING_COST, NULL),
				  make_model(NOTED_COST, NULL)};
	struct profile profile;
	char *text;

	(void)state;
	if (system("python3 -c 'import jsonschema' 2>/dev/null") != 0)
		skip();
	make_everything(&profile);
	for (int by = GROUP_BY_FORM; by <= GROUP_BY_INLINED; by++) {
		text = make_report(&profile, models, ARRAY_LENGTH(models),
				   &(struct report_options){.format = REPORT_JSON, .by = (enum profile_group_by)by});
		assert_int_equal(check_schema(text), 0);
		free(text);
	}
	text = make_report(&profile, models, 4, &(struct report_options){.format = REPORT_JSON});
	assert_non_null(strstr(text, "\"v_pipe_instructions\": 0"));
	assert_int_equal(check_schema_with(text, "\"visits\": 1", "\"visits\": -"), 1); /* no JSON */
	assert_int_equal(check_schema_with(text, "\"visits\": 1", "\"visitz\": 1"), 1);
	assert_int_equal(check_schema_with(text, "\"visits\": 1", "\"visits\": -1"), 1);
	free(text);
	profile_deinit(&profile);
	for (size_t i = 0; i < ARRAY_LENGTH(models); i++)
		model_destroy(models[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_promised_keys),
		cmocka_unit_test(each_form_says_where_its_figures_come_from),
		cmocka_unit_test(groups_come_beside_the_forms),
		cmocka_unit_test(places_have_their_parts),
		cmocka_unit_test(cycles_are_exact),
		cmocka_unit_test(any_name_gives_valid_json),
		cmocka_unit_test(endings_handlers_and_unreached_regions),
		cmocka_unit_test(models_have_notes),
		cmocka_unit_test(reports_keep_to_the_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
