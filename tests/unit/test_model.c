#include "model_fixture.h"

static void header_and_row(void **state)
{
	struct model *model = load_text("itrace-cost-model 1   # the format\r\n"
					"\n"
					"name = toy # its name\n"
					"aliases = plaything, TOY-2\n"
					"title = A toy\n"
					"vendor = Nobody\n"
					"year = 1985\n"
					"clock_mhz = 3700\n"
					"rank = throughput\n"
					"source = made up\n"
					"[parameters]\n"
					"issue_width = 4\n"
					"[forms]\n"
					"ADD r64, m64 |\t6 | 0.5 | 2 | p0156:1 p23:1.5 | load\n"
					"ADD m64, r64|6.25|1\n"
					"CPUID | - | -\n"
					"RET | - | 12.345 | | | load"); /* no line end */
	struct cost cost;

	(void)state;
	assert_string_equal(model_name(model), "toy");
	assert_string_equal(model_title(model), "A toy");
	assert_string_equal(model_vendor(model), "Nobody");
	assert_string_equal(model_source(model), "made up");
	assert_int_equal(model_year(model), 1985);
	assert_int_equal(model_n_rows(model), 4);
	assert_int_equal(model_ranking_column(model), COST_RECIPROCAL_THROUGHPUT);
	assert_false(model_is_mapped(model));
	assert_string_equal(model_parameter(model, "issue_width"), "4");
	assert_null(model_parameter(model, "issue"));

	model_lookup(model, "add R64, m64", &cost);
	check_figures(&cost, COST_EXACT, 6000, 500);
	assert_int_equal(cost.uops, 2);
	assert_string_equal(cost.ports, "p0156:1 p23:1.5");
	assert_string_equal(cost.via, "ADD r64, m64");
	assert_null(cost.rule);
	model_lookup(model, "ADD m64, r64", &cost);
	check_figures(&cost, COST_EXACT, 6250, 1000);
	assert_int_equal(cost.uops, 0);
	assert_null(cost.ports);
	model_lookup(model, "CPUID", &cost);
	check_figures(&cost, COST_UNKNOWN, 0, 0);
	assert_null(cost.via);
	model_lookup(model, "RET", &cost);
	check_figures(&cost, COST_EXACT, 12345, 12345);
	model_lookup(model, "SUB r64, m64", &cost);
	check_figures(&cost, COST_UNKNOWN, 0, 0);
	model_destroy(model);
}

/* The model ranks by the figure of the other column. */
static void only_the_other_column(void **state)
{
	struct model *model = load_text(HEADER "[forms]\nRET | 7\n");
	struct cost cost;

	(void)state;
	model_lookup(model, "RET", &cost);
	check_figures(&cost, COST_FALLBACK, 7000, 7000);
	assert_string_equal(cost.rule, "the model states only the other of latency and throughput");
	assert_string_equal(model_vendor(model), "");
	assert_int_equal(model_year(model), 0);
	model_destroy(model);
}

static void check_time(const char *clock, uint64_t cycle_ps, mcyc_t mcyc, uint64_t time_ns)
{
	char *text = xasprintf(HEADER "%s\n[forms]\nRET | 1 | 1\n", clock);
	struct model *model = load_text(text);

	assert_int_equal(model_cycle_ps(model), cycle_ps);
	assert_int_equal(model_time_ns(model, mcyc), time_ns);
	model_destroy(model);
	free(text);
}

static void times(void **state)
{
	(void)state;
	check_time("clock_mhz = 4000", 250, 3000, 1); /* 0.75 ns */
	check_time("clock_mhz = 3700", 270, 37000000,
		   10000); /* 37,000 cycles at 3.7 GHz: an exact time, although one cycle is not */
	check_time("clock_mhz = 22.222", 45000, 22222, 1000);
	check_time("cycle_ns = 45", 45000, 1000000, 45000);
	check_time("cycle_ns = 0.3", 300, 5000, 2); /* 1.5 ns */
	check_time("cycle_ns = 45", 45000, INT64_MAX, 415051741658464911);
	check_time("", 0, 5000, 0);
}

static void totals(void **state)
{
	struct cost cost = {.latency_mcyc = 69000, .throughput_mcyc = 500, .per_iteration_mcyc = 381};

	(void)state;
	assert_int_equal(cost_total_mcyc(&cost, COST_LATENCY, 2, 10), 141810);
	assert_int_equal(cost_total_mcyc(&cost, COST_RECIPROCAL_THROUGHPUT, 3, 0), 1500);
	/* 2^64 - 1 executions of 0.5 cycles fit. 0 iterations cost nothing at any rate. */
	cost.throughput_mcyc = 0;
	cost.per_iteration_mcyc = 0;
	assert_int_equal(cost_total_mcyc(&cost, COST_RECIPROCAL_THROUGHPUT, UINT64_MAX, UINT64_MAX), 0);
}

struct refusal {
	const char *text;
	const char *message; /* after "FOLDER/" */
};

static const struct refusal refusals[] = {
	{"", "toy.cost:1: not a cost model: the first line must be 'itrace-cost-model 1'"},
	{"ELF\n", "toy.cost:1: not a cost model: the first line must be 'itrace-cost-model 1'"},
	{"\nitrace-cost-model 1\n", "toy.cost:1: not a cost model: the first line must be 'itrace-cost-model 1'"},
	{"itrace-cost-model 2\n", "toy.cost:1: unsupported format version 2; this itrace reads version 1"},
	{HEADER "colour = red\n", "toy.cost:6: 'colour' is not a header key"},
	{HEADER "year\n", "toy.cost:6: 'year': must be 'key = value' or '[section]'"},
	{HEADER "vendor =\n", "toy.cost:6: 'vendor' has no value"},
	{HEADER "name = toy\n", "toy.cost:6: 'name' is stated twice"},
	{HEADER "vendor = M\xc3\xbcller\n", "toy.cost:6: 'vendor' must be printable ASCII"},
	{HEADER "vendor = \x1b[31m\n", "toy.cost:6: 'vendor' must be printable ASCII"},
	{HEADER "\x1b = 1\n", "toy.cost:6: '?' is not a header key"},
	{HEADER "year = 1899\n", "toy.cost:6: year '1899': must be 1900 to 2100"},
	{HEADER "year = MCM\n", "toy.cost:6: year 'MCM': must be 1900 to 2100"},
	{HEADER "clock_mhz = 0\n", "toy.cost:6: clock_mhz '0': must be a number above 0"},
	{HEADER "clock_mhz = -1\n", "toy.cost:6: clock_mhz '-1': must be a number above 0"},
	{HEADER "cycle_ns = fast\n", "toy.cost:6: cycle_ns 'fast': must be a number above 0"},
	{HEADER "cycle_ns = 1\nclock_mhz = 1\n",
	 "toy.cost:7: clock_mhz and cycle_ns are both stated; keep one of them"},
	{"itrace-cost-model 1\nname = a,b\n", "toy.cost:2: name 'a,b': may have letters, digits and . _ + -"},
	{"itrace-cost-model 1\nrank = speed\n", "toy.cost:2: rank 'speed': must be latency or throughput"},
	{"itrace-cost-model 1\nname = toy\ntitle = t\n[forms]\n", "toy.cost:4: the header lacks 'rank'"},
	{"itrace-cost-model 1\nname = toy\n", "toy.cost:2: the header lacks 'title'"},
	{HEADER, "toy.cost:5: a model must have either [forms] or [opcodes]"},
	{HEADER "[forms]\n", "toy.cost:6: model has no rows"},
	{HEADER "[forms]\nRET | 1 | 1\n[opcodes]\n1 | X | 1\n",
	 "toy.cost:9: a model must have either [forms] or [opcodes]"},
	{HEADER "map = a.map\n[forms]\nRET | 1 | 1\n",
	 "toy.cost:8: [opcodes] and the header key 'map' require each other"},
	{HEADER "[opcodes]\n1 | X | 1\n", "toy.cost:7: [opcodes] and the header key 'map' require each other"},
	{HEADER "map = ../a.map\n[opcodes]\n1 | X | 1\n",
	 "toy.cost:8: map '../a.map': must be the name of a file beside this one"},
	{HEADER "[form]\n", "toy.cost:6: '[form]' is not a section; expected [parameters], [forms] or [opcodes]"},
	{HEADER "[parameters]\nrob\n", "toy.cost:7: 'rob': must be 'key = value' in printable ASCII"},
	{HEADER "[parameters]\nr b = 1\n", "toy.cost:7: 'r b': must be 'key = value' in printable ASCII"},
	{HEADER "[parameters]\nrob =\n", "toy.cost:7: 'rob': must be 'key = value' in printable ASCII"},
	{HEADER "[parameters]\nrob = 1\n\nrob = 2\n", "toy.cost:9: parameter 'rob' is stated twice"},
	{HEADER "[forms]\nret | 2 | 2\n", "toy.cost:7: 'ret' is not an instruction form"},
	{HEADER "[forms]\nRET | 1 | 1\nADD | 1\nRET | 2 | 2\n", "toy.cost:9: 'RET' already has a row in line 7"},
	{HEADER "[forms]\nADD R64 | 1 | 1\nADD r64 | 1 | 1\n", "toy.cost:8: 'ADD r64' already has a row in line 7"},
	{HEADER "[forms]\n | 1 | 1\n", "toy.cost:7: '' is not an instruction form"},
	{HEADER "[forms]\nRET\x1b[1m | 1 | 1\n", "toy.cost:7: 'RET?[1m' is not an instruction form"},
	{HEADER "[forms]\nRET | 1 | 1 | 1 | p0:1 | iteration:much\n",
	 "toy.cost:7: flags 'iteration:much': must be words"},
	{HEADER "[forms]\nRET | 1 | 1 | 1 | p0:1 | NP iteration:1.2345\n",
	 "toy.cost:7: iteration '1.2345': must be 0 to 1000000 with at most 3 places"},
	{HEADER "estimator = magic\n", "toy.cost:6: estimator 'magic': must be table or pairing"},
	{HEADER "estimator = pairing\nmap = a.map\n[opcodes]\n1 | X | 1\n",
	 "toy.cost:9: [opcodes] requires estimator = table"},
	{HEADER "[forms]\nRET | 1 | 1 | 1 | p0:1 | load | more\n", "toy.cost:7: fused 'more': must be 0 to 65535"},
	{HEADER "[forms]\nRET | 1 | 1 | 1 | p0:1 | load | 1 | 1>2:3 |\n", "toy.cost:7: row has more than 8 cells"},
	{HEADER "[forms]\nRET | 1 | 1 | 1 | p0:1 | load | 1 | 1>2\n",
	 "toy.cost:7: latencies '1>2': must be words like 2>1:5"},
	{HEADER "[forms]\nRET | 1 | 1 | 1 | p0:1 | load | 1 | 1:2\n",
	 "toy.cost:7: latencies '1:2': must be words like 2>1:5"},
	{HEADER "[forms]\nRET | 1 | 1 | 1 | p0:1 | load | 1 | 1>2:x\n",
	 "toy.cost:7: latencies '1>2:x': must be words like 2>1:5"},
	{HEADER "[forms]\nRET | -1 | 1\n", "toy.cost:7: latency '-1': must be 0 to 1000000 with at most 3 places"},
	{HEADER "[forms]\nRET | 1 | 1e3\n", "toy.cost:7: throughput '1e3': must be 0 to 1000000 with at most 3 places"},
	{HEADER "[forms]\nRET | 1. | 1\n", "toy.cost:7: latency '1.': must be 0 to 1000000 with at most 3 places"},
	{HEADER "[forms]\nRET | .5 | 1\n", "toy.cost:7: latency '.5': must be 0 to 1000000 with at most 3 places"},
	{HEADER "[forms]\nRET | 0.1234 | 1\n",
	 "toy.cost:7: latency '0.1234': must be 0 to 1000000 with at most 3 places"},
	{HEADER "[forms]\nRET | 1000000.001 | 1\n",
	 "toy.cost:7: latency '1000000.001': must be 0 to 1000000 with at most 3 places"},
	{HEADER "[forms]\nRET | 99999999999999999999 | 1\n",
	 "toy.cost:7: latency '99999999999999999999': must be 0 to 1000000 with at most 3 places"},
	{HEADER "[forms]\nRET | 1 | 1 | 65536\n", "toy.cost:7: uops '65536': must be 0 to 65535"},
	{HEADER "[forms]\nRET | 1 | 1 | 1.5\n", "toy.cost:7: uops '1.5': must be 0 to 65535"},
	{HEADER "[forms]\nRET | 1 | 1 | 1 | p0\n", "toy.cost:7: ports 'p0': must be words like p0156:1"},
	{HEADER "[forms]\nRET | 1 | 1 | 1 | p0:1  p1:1\n",
	 "toy.cost:7: ports 'p0:1  p1:1': must be words like p0156:1"},
	{HEADER "[forms]\nRET | 1 | 1 | 1 | p0:x\n", "toy.cost:7: ports 'p0:x': must be words like p0156:1"},
	{HEADER "[forms]\nRET | 1 | 1 | 1 | | load,store\n", "toy.cost:7: flags 'load,store': must be words"},
};

static void refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(refusals); i++)
		check_refused("toy.cost", refusals[i].text, refusals[i].message);
}

static void refused_sizes(void **state)
{
	static const char nul[] = HEADER "[forms]\nRET | 1\0 | 1\n";
	char *long_form, *long_line = xcalloc(5000, 1);
	struct error err = {0};
	char *path = xasprintf("%s/toy.cost", folder);
	char *expected;

	(void)state;
	memset(long_line, 'A', 4999);
	long_form = xasprintf(HEADER "[forms]\n%.127s | 1 | 1\n", long_line);
	model_destroy(load_text(long_form)); /* the longest form */
	free(long_form);
	long_form = xasprintf(HEADER "[forms]\n%.128s | 1 | 1\n", long_line);
	expected = xasprintf("toy.cost:7: '%.80s' is not an instruction form", long_line);
	check_refused("toy.cost", long_form, expected);
	free(long_form);
	free(expected);

	long_form = xasprintf(HEADER "[forms]\nRET | 1 | 1 #%.4083s\n", long_line);
	model_destroy(load_text(long_form)); /* 4096 bytes */
	free(long_form);
	long_form = xasprintf(HEADER "[forms]\nRET | 1 | 1 #%.4084s\n", long_line);
	check_refused("toy.cost", long_form, "toy.cost:7: line is longer than 4096 bytes");
	free(long_form);
	free(long_line);

	write_bytes("toy.cost", nul, sizeof(nul) - 1);
	assert_null(load_file("toy.cost", &err));
	assert_non_null(strstr(err.text, "toy.cost:7: contains a NUL byte; expected a text file"));
	assert_int_equal(err.kind, ERROR_FORMAT);

	assert_int_equal(truncate(path, (off_t)64 << 20), 0);
	assert_null(load_file("toy.cost", &err));
	assert_non_null(strstr(err.text, "a NUL byte"));
	assert_int_equal(truncate(path, ((off_t)64 << 20) + 1), 0);
	assert_null(load_file("toy.cost", &err));
	assert_non_null(strstr(err.text, "toy.cost:1: larger than 64 MiB; expected a cost model"));
	free(path);
}

static void refused_files(void **state)
{
	struct error err = {0};
	char *path = xasprintf("%s/fifo.cost", folder);

	(void)state;
	assert_null(model_load("/nonexistent/toy.cost", &err));
	assert_string_equal(err.text, "cannot read /nonexistent/toy.cost: No such file or directory");
	assert_int_equal(err.kind, ERROR_ENVIRONMENT);
	assert_null(model_load("/", &err));
	assert_string_equal(err.text, "cannot read /: it is not a regular file");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(model_load(path, &err)); /* does not wait for a writer */
	assert_non_null(strstr(err.text, "it is not a regular file"));
	assert_int_equal(unlink(path), 0);
	free(path);
}

static struct model *load_named(const char *name, const char *expected)
{
	struct error err = {0};
	struct model *model = model_load(name, &err);

	if (!model)
		fail_msg("%s", err.text);
	assert_string_equal(model_title(model), expected);
	return model;
}

#define NAMED(name, title, more) \
	"itrace-cost-model 1\n"  \
	"name = " name "\n"      \
	"title = " title "\n"    \
	"rank = latency\nsource = s\n" more "[forms]\nRET | 1 | 1\n"

static void search(void **state)
{
	char *path = xasprintf("/nonexistent::%s/a:%s", folder, folder);
	char *user = xasprintf("%s/.config/itrace/models", folder);
	char *command = xasprintf("mkdir -p '%s' '%s/a'", user, folder);

	(void)state;
	assert_int_equal(system(command), 0);
	assert_int_equal(setenv("ITRACE_MODEL_PATH", path, 1), 0);
	write_file("a/skylake.cost", NAMED("skylake", "first", "aliases = skl,  Kaby-Lake , zen9\n"));
	write_file("skylake.cost", NAMED("skylake", "second", "aliases = hidden\n"));
	write_file("zen4.cost", NAMED("zen-four", "zen", "aliases = skl\n"));
	write_file("broken.cost", "itrace-cost-model 1\n");
	write_file(".config/itrace/models/mine.cost", NAMED("mine", "the user's", ""));
	write_file("skylake.txt", "no model");

	model_destroy(load_named("skylake", "first"));
	model_destroy(load_named("SkyLake", "first"));
	model_destroy(load_named("kaby-lake", "first"));
	model_destroy(load_named("skl", "first")); /* of two files with one alias, the first by name wins */
	model_destroy(load_named("zen4", "zen"));
	model_destroy(load_named("ZEN-FOUR", "zen"));
	model_destroy(load_named("mine", "the user's"));
	free(path);
	free(user);
	free(command);
}

static void unknown_names(void **state)
{
	static const struct {
		const char *name, *message;
	} unknown[] = {
		{"skylaek", "no cost model named 'skylaek'; closest: skylake; 'itrace models' lists all"},
		{"sky", "no cost model named 'sky'; closest: skylake, skl; 'itrace models' lists all"},
		{"foo", "no cost model named 'foo'; 'itrace models' lists all"},
		{"zen5", "no cost model named 'zen5'; closest: zen9, zen4; 'itrace models' lists all"},
	};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(unknown); i++) {
		assert_null(model_load(unknown[i].name, &err));
		assert_string_equal(err.text, unknown[i].message);
		assert_int_equal(err.kind, ERROR_USAGE);
	}
	assert_null(model_load("hidden", &err)); /* the alias of a hidden file */
	assert_null(model_load("", &err));
	assert_null(model_load("broken", &err));
	assert_non_null(strstr(err.text, "/broken.cost:1: the header lacks 'name'"));
	assert_int_equal(err.kind, ERROR_FORMAT);
}

static void list(void **state)
{
	static const char *const names[] = {"broken", "mine", "skylake", "toy", "zen-four"};
	struct model_list models;

	(void)state;
	write_file("toy.cost", HEADER "year = 2001\nvendor = v\n[forms]\nRET | 1 | 1\nADD r8, r8 | 1 | 1\n");
	model_list_init(&models);
	assert_in_range(models.n_models, ARRAY_LENGTH(names), SIZE_MAX);
	/* Installed models may also be listed. */
	for (size_t i = 0, n = 0; i < models.n_models; i++) {
		const struct model_info *info = &models.models[i];

		if (i > 0)
			assert_true(strcasecmp(models.models[i - 1].name, info->name) <= 0);
		if (strncmp(info->path, folder, strlen(folder)) != 0)
			continue;
		assert_string_equal(info->name, names[n++]);
		if (strcmp(info->name, "toy") == 0) {
			assert_null(info->problem);
			assert_string_equal(info->title, "A toy");
			assert_string_equal(info->vendor, "v");
			assert_string_equal(info->source, "made up");
			assert_int_equal(info->year, 2001);
			assert_int_equal(info->n_rows, 2);
		} else if (strcmp(info->name, "broken") == 0) {
			assert_non_null(strstr(info->problem, "broken.cost:1: the header lacks 'name'"));
			assert_string_equal(info->title, "");
		} else if (strcmp(info->name, "skylake") == 0) {
			assert_string_equal(info->title, "first");
		}
	}
	model_list_deinit(&models);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_and_row), cmocka_unit_test(only_the_other_column),
		cmocka_unit_test(times),	  cmocka_unit_test(totals),
		cmocka_unit_test(refused),	  cmocka_unit_test(refused_sizes),
		cmocka_unit_test(refused_files),  cmocka_unit_test(search),
		cmocka_unit_test(unknown_names),  cmocka_unit_test(list),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
