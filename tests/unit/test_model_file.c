/* Inheritance, names and notes of model files, and all checks of a file. */
#include "model_fixture.h"

#include <dirent.h>

#include "costmodels/model/model_private.h"

#define PARENT                                                  \
	"itrace-cost-model 1\nname = base\naliases = b\n"       \
	"stands_in = cousin, uncle\ntitle = Base\nvendor = V\n" \
	"year = 1990\nclock_mhz = 100\nrank = latency\n"        \
	"source = a book\n[parameters]\nwidth = 4\nrob = 9\n"   \
	"[forms]\nRET | 1 | 1\nADD r32, r32 | 2 | 2\nADD r64, r64 | 3 | 3\n"
#define CHILD "itrace-cost-model 1\nname = toy\ninherit = base\n"

static void check_form(const struct model *model, const char *form, mcyc_t mcyc, const char *place)
{
	struct cost cost;
	char *where;

	model_lookup(model, form, &cost);
	if (!place) {
		assert_int_equal(cost.match, COST_UNKNOWN);
		return;
	}
	assert_int_equal(cost.latency_mcyc, mcyc);
	where = xasprintf("%s:%u", strrchr(cost.path, '/') + 1, cost.line);
	assert_string_equal(where, place);
	free(where);
}

static void inherits(void **state)
{
	struct model *model;

	(void)state;
	write_file("base.cost", PARENT);
	model = load_text(CHILD "aliases = t\nsource = me\nyear = 2000\n[parameters]\nrob = 10\n"
				"[forms]\nADD r32, r32 | 7 | 7\nRET |\nSUB r8, r8 | 5 | 5\n");
	assert_string_equal(model_name(model), "toy");
	assert_string_equal(model_title(model), "Base");
	assert_string_equal(model_vendor(model), "V");
	assert_int_equal(model_year(model), 2000);
	assert_int_equal(model_cycle_ps(model), 10000);
	assert_int_equal(model_ranking_column(model), COST_LATENCY);
	assert_string_equal(model_source(model), "me; else as base: a book");
	assert_string_equal(model_parameter(model, "width"), "4");
	assert_string_equal(model_parameter(model, "rob"), "10");
	assert_int_equal(model_n_rows(model), 4);
	check_form(model, "ADD r32, r32", 7000, "toy.cost:10");
	check_form(model, "ADD r64, r64", 3000, "base.cost:17");
	check_form(model, "SUB r8, r8", 5000, "toy.cost:12");
	check_form(model, "ADD r16, r16", 7000, "toy.cost:10"); /* these rules over all rows */
	check_form(model, "RET", 0, NULL);			/* an empty row marks a form as unknown */
	assert_string_equal(model->header.aliases, "t");
	assert_string_equal(model->header.stands_in_for, "");
	model_destroy(model);

	model = load_text(CHILD "cycle_ns = 2\nrank = throughput\ntitle = Mine\n"); /* without rows of its own */
	assert_int_equal(model_cycle_ps(model), 2000);
	assert_int_equal(model_ranking_column(model), COST_RECIPROCAL_THROUGHPUT);
	assert_string_equal(model_title(model), "Mine");
	assert_string_equal(model_source(model), "as base: a book");
	model_destroy(model);
}

static void inherits_by_path(void **state)
{
	char *command = xasprintf("mkdir -p '%s/sub'", folder);
	struct model *model;

	(void)state;
	assert_int_equal(system(command), 0);
	free(command);
	write_file("base.cost", PARENT);
	write_file("sub/middle.cost",
		   "itrace-cost-model 1\nname = middle\ninherit = ../base.cost\n[forms]\nNOP | 1 | 1\n");
	model = load_text("itrace-cost-model 1\nname = toy\ninherit = sub/middle.cost\n[forms]\nHLT | 1 | 1\n");
	assert_int_equal(model_n_rows(model), 5);
	assert_string_equal(model_source(model), "as middle: as base: a book");
	model_destroy(model);
}

static void check_error(const char *text, const char *wanted)
{
	struct error err = {0};

	write_file("toy.cost", text);
	assert_null(load_file("toy.cost", &err));
	if (!strstr(err.text, wanted))
		fail_msg("%s", err.text);
	assert_int_equal(err.kind, ERROR_FORMAT);
}

#define MAP "itrace-opcode-map 1\nMOV *, * | MOVE + read | | w\nADD *, * | ADD | | w\nSUB *, * | SUB | | w\n"
#define MACHINE                                                                                    \
	"itrace-cost-model 1\nname = base\ntitle = T\nrank = latency\nsource = s\nmap = toy.map\n" \
	"cycle_ns = 200\nunit = us\n[parameters]\nmemory_read = 0.1\n[opcodes]\n1 | MOVE | 0.44\n" \
	"2 | ADD | ~ 0.5\n3 | SUB | ~ MOVE\n"

static void opcodes_and_units(void **state)
{
	struct model *model;
	struct cost cost;

	(void)state;
	write_file("toy.map", MAP);
	write_file("base.cost", MACHINE);
	model = load_text(CHILD "cycle_ns = 100\n[opcodes]\n1 | MOVE | 0.4\n");
	model_lookup(model, "MOV r32, m32", &cost);
	check_figures(&cost, COST_EXACT, 5000, 5000); /* 0.5 us of 100 ns */
	model_lookup(model, "ADD r32, m32", &cost);
	check_figures(&cost, COST_FALLBACK, 5000, 5000);
	assert_string_equal(cost.rule, "by the figure of a like opcode");
	model_lookup(model, "SUB r32, m32", &cost);
	check_figures(&cost, COST_FALLBACK, 4000, 4000);
	model_destroy(model);
	check_error(CHILD "[opcodes]\n1 | MOV | 1\n", "/toy.cost:5: opcode 0x01 is 'MOVE' in ");
}

static void refused(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{CHILD "[opcodes]\n1 | X | 1\n", "toy.cost:5: a model must have either [forms] or [opcodes]"},
		{CHILD "inherit = b\n", "toy.cost:4: 'inherit' is stated twice"},
		{CHILD "[forms]\nRET | 1\nRET | 2\n", "toy.cost:6: 'RET' already has a row in line 5"},
		{CHILD "[parameters]\nrob = 1\nrob = 2\n", "toy.cost:6: parameter 'rob' is stated twice"},
		{"itrace-cost-model 1\ninherit = base\n", "toy.cost:2: the header lacks 'name'"},
		{HEADER "unit = ms\n[forms]\nRET|1\n", "toy.cost:6: unit 'ms': must be cycles or us"},
		{HEADER "unit = us\n[forms]\nRET|1\n", "toy.cost:8: 'unit = us' requires [opcodes] and 'cycle_ns'"},
		{HEADER "aliases = a;b\n", "toy.cost:6: aliases 'a;b': must be names with commas between them"},
		{HEADER "stands_in = a|b\n", "toy.cost:6: stands_in 'a|b': must be names with commas between them"},
		{HEADER "map = toy.map\n[opcodes]\n1 | A | 1\n2 | B | ~ C\n",
		 "toy.cost:9: 'B' is like 'C', which has no figure of its own"},
		{HEADER "map = toy.map\n[opcodes]\n1 | A | 0\n2 | B | ~ A\n",
		 "toy.cost:9: 'B' is like 'A', which has no figure of its own"},
		{HEADER "map = toy.map\n[opcodes]\n1 | A | ~\n",
		 "toy.cost:8: cycles '': must be 0 to 1000000 with at most 3 places, after '~' also a mnemonic"},
		{HEADER "map = toy.map\n[opcodes]\n1 | | ~ A\n", "toy.cost:8: opcode 0x01 has cycles but no mnemonic"},
	};

	(void)state;
	write_file("base.cost", PARENT);
	for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
		check_refused("toy.cost", bad[i].text, bad[i].message);
	write_file("toy.cost", CHILD);
	check_refused("base.cost", "itrace-cost-model 1\nname = base\nrank = x\n",
		      "base.cost:3: rank 'x': must be latency or throughput");
}

static void circles(void **state)
{
	(void)state;
	check_error("itrace-cost-model 1\nname = toy\n\ninherit = toy\n",
		    "/toy.cost:4: 'inherit = toy' forms a cycle through ");
	write_file("base.cost", "itrace-cost-model 1\nname = base\ninherit = ./toy.cost\n");
	check_error(CHILD, "/base.cost:3: 'inherit = ./toy.cost' forms a cycle through ");
	check_error("itrace-cost-model 1\nname = toy\ninherit = nobody\n",
		    "/toy.cost:3: inherit: no cost model named 'nobody'; 'itrace models'");
	check_error("itrace-cost-model 1\nname = toy\ninherit = gone.cost\n", "/toy.cost:3: inherit: cannot read ");
}

static void deep_chain(void **state)
{
	struct error err = {0};
	struct model *model;

	(void)state;
	write_file("c0.cost",
		   "itrace-cost-model 1\nname = c0\ntitle = t\nrank = latency\nsource = s\n[forms]\nRET|1\n");
	for (int i = 1; i <= 8; i++) {
		char *name = xasprintf("c%d.cost", i);
		char *text = xasprintf("itrace-cost-model 1\nname = c%d\ninherit = c%d\n", i, i - 1);

		write_file(name, text);
		free(name);
		free(text);
	}
	model = load_file("c7.cost", &err);
	assert_non_null(model); /* eight files */
	model_destroy(model);
	assert_null(load_file("c8.cost", &err));
	assert_non_null(strstr(err.text, "/c1.cost:3: 'inherit = c0' makes a chain of more than 8 files"));
}

static void notes(void **state)
{
	struct error err = {0};
	struct model *model;

	(void)state;
	write_file("base.cost", PARENT);
	model = model_load("b", &err);
	assert_null(model_note(model));
	model_destroy(model);
	model = model_load("UNCLE", &err);
	assert_string_equal(model_name(model), "base");
	assert_string_equal(model_note(model), "stands in for UNCLE, which has no figures of its own");
	model_destroy(model);
	/* A name takes precedence over a stand-in, wherever the files are. */
	write_file("zz.cost", "itrace-cost-model 1\nname = zz\naliases = cousin\ninherit = base\nnote = careful\n");
	model = model_load("cousin", &err);
	assert_string_equal(model_name(model), "zz");
	assert_string_equal(model_note(model), "careful");
	model_destroy(model);
	write_file("host.cost", "itrace-cost-model 1\nname = host\ninherit = zz\n");
	model = model_load("host", &err); /* the user's own */
	assert_string_equal(model_name(model), "host");
	assert_string_equal(model_note(model), "careful");
	model_destroy(model);
}

static void check(void **state)
{
	static const char *const expected[] = {
		"toy.cost:3: year 'x': must be 1900 to 2100",
		"toy.cost:4: 'colour' is not a header key",
		"toy.cost:5: the header lacks 'title'",
		"toy.cost:5: the header lacks 'rank'",
		"toy.cost:5: the header lacks 'source'",
		"toy.cost:7: 'ret' is not an instruction form",
		"toy.cost:9: latency '-2': must be 0 to 1000000 with at most 3 places",
		"toy.cost:10: 'RET' already has a row in line 8",
		"toy.cost:11: '[what]' is not a section; expected [parameters], [forms] or [opcodes]",
		"toy.cost:14: 'x': must be 'key = value' in printable ASCII",
	};
	struct text_problems problems = {0};
	char *path = xasprintf("%s/toy.cost", folder);

	(void)state;
	write_file("toy.cost", "itrace-cost-model 1\nname = toy\nyear = x\ncolour = red\n"
			       "[forms]\n\nret | 1\nRET | 1\nADD r8, r8 | -2\nRET | 1\n"
			       "[what]\n1 | 2\n[parameters]\nx\n");
	model_check(path, NULL, &problems);
	assert_int_equal(problems.n_texts, ARRAY_LENGTH(expected));
	for (size_t i = 0; i < problems.n_texts; i++)
		assert_string_equal(problems.texts[i] + strlen(folder) + 1, expected[i]);
	text_problems_deinit(&problems);

	write_file("toy.cost", "itrace-cost-model 9\nname = toy\ninherit = nowhere\n[forms]\nRET | x\n");
	model_check(path, NULL, &problems);
	assert_int_equal(problems.n_texts, 3);
	assert_non_null(strstr(problems.texts[0], "toy.cost:1: unsupported format version 9"));
	assert_non_null(strstr(problems.texts[1], "toy.cost:3: inherit: no cost model named 'nowhere'"));
	assert_non_null(strstr(problems.texts[2], "toy.cost:5: latency 'x'"));
	text_problems_deinit(&problems);

	write_file("base.cost", PARENT);
	write_file("toy.cost", CHILD);
	model_check(path, NULL, &problems);
	assert_int_equal(problems.n_texts, 0);
	free(path);
}

static void check_of_a_map(void **state)
{
	struct text_problems problems = {0};
	char *path = xasprintf("%s/toy.cost", folder);

	(void)state;
	write_file("toy.cost", MACHINE);
	write_file("toy.map", MAP "RET | X | | w\nMOV *, * | MOVE | | w\n");
	model_check(path, NULL, &problems);
	assert_int_equal(problems.n_texts, 2);
	assert_non_null(
		strstr(problems.texts[0], "/toy.map:5: 'X' is neither an opcode nor a parameter of model base"));
	assert_non_null(strstr(problems.texts[1], "/toy.map:6: 'MOV *, *' already has a row in line 2"));
	text_problems_deinit(&problems);
	free(path);
}

/* The installed models are correct and as many as promised. */
static void shipped(void **state)
{
	DIR *dir = opendir(MODELS_DIR);
	const struct dirent *entry;
	size_t n = 0;

	(void)state;
	assert_non_null(dir);
	assert_int_equal(setenv("ITRACE_MODEL_PATH", MODELS_DIR, 1), 0);
	while ((entry = readdir(dir))) {
		struct text_problems problems = {0};
		struct error err = {0};
		struct model *model;
		char *path;

		if (!strstr(entry->d_name, ".cost"))
			continue;
		path = xasprintf(MODELS_DIR "/%s", entry->d_name);
		model_check(path, NULL, &problems);
		if (problems.n_texts)
			fail_msg("%s", problems.texts[0]);
		model = model_load(path, &err);
		assert_memory_equal(model_name(model), entry->d_name, strlen(model_name(model)));
		assert_string_equal(entry->d_name + strlen(model_name(model)), ".cost");
		assert_true(model_year(model) && *model_vendor(model) && model_cycle_ps(model));
		/* Figures of another CPU are always marked as such. */
		assert_true(!model->parent == !model_note(model));
		model_destroy(model);
		free(path);
		n++;
	}
	closedir(dir);
	assert_true(n >= 28);
	assert_int_equal(setenv("ITRACE_MODEL_PATH", folder, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inherits),
		cmocka_unit_test(inherits_by_path),
		cmocka_unit_test(opcodes_and_units),
		cmocka_unit_test(refused),
		cmocka_unit_test(circles),
		cmocka_unit_test(deep_chain),
		cmocka_unit_test(notes),
		cmocka_unit_test(check),
		cmocka_unit_test(check_of_a_map),
		cmocka_unit_test(shipped),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
