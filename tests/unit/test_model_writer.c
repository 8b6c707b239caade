/* The model that itrace measure writes: rounding, inherited cells, and that it loads. */
#include "timing/model_writer.h"

#include "model_fixture.h"

#include "costmodels/model/text_file.h"

enum { N_FORMS = 7 };

static const char *const forms[N_FORMS] = {
	"ADD r64, r64", "IMUL r64, r64", "DIV r64", "POPCNT r32, m32", "NOP", "UD2", "REP STOSB m8",
};

static const struct instruction_timing timings[N_FORMS] = {
	{.has_throughput = true,
	 .throughput_mcyc = 253, /* a quarter within 2 % */
	 .throughput_spread_permille = 3,
	 .latencies = {{"1", "1", 996, 2}, {"2", "1", 1068, 12}, {"1", "flags", 1003, 1}},
	 .n_latencies = 3},
	{.has_throughput = true,
	 .throughput_mcyc = 1200,	     /* between twelfths */
	 .latencies = {{"1", "1", 2930, 2}}, /* not whole */
	 .n_latencies = 1},
	{.has_throughput = true,
	 .throughput_mcyc = 7010,
	 .latencies = {{"1", "rax", 19880, 2}}, /* whole within a hundredth */
	 .n_latencies = 1},
	{.has_throughput = true, .throughput_mcyc = 1000, .reads_memory = true},
	{.has_throughput = true, .throughput_mcyc = 83},
	{.is_encoded = true}, /* could not be measured */
	{.has_throughput = true, .throughput_mcyc = 20100, .iteration_mcyc = 28},
};

static const char inherited_text[] = "itrace-cost-model 1\n"
				     "name = base\n"
				     "title = A base\n"
				     "rank = throughput\n"
				     "source = made up\n"
				     "[forms]\n"
				     "ADD r64, r64 | 5 | 0.333 | 1 | alu:1 | - | 1\n"
				     "DIV r64 | 40 | 14 | 2 | div:14 alu:1\n"
				     "NOP | 2 | 1\n"
				     "UD2 | 9 | 9\n"
				     "REP STOSB m8 | 20 | 20 | - | - | store range iteration:1\n";

static size_t write_model(const char *path, struct model *inherited)
{
	static const struct measured_parameter parameters[] = {{"mispredict_cycles", "13", "spread 1.0 %"}};
	static const char *const conditions[] = {"A CPU, family 1", "no hypervisor"};
	struct instruction_timing copy[N_FORMS];
	struct survey survey = {.forms = forms, .n_forms = N_FORMS, .timings = copy};
	struct measured_model model = {
		.name = "mine",
		.inherited_name = "base",
		.inherited = inherited,
		.survey = &survey,
		.parameters = parameters,
		.n_parameters = 1,
		.cpu = "A CPU",
		.clock_mhz = 3700,
		.conditions = conditions,
		.n_conditions = 2,
	};
	FILE *out = fopen(path, "w");
	size_t n_rows;

	memcpy(copy, timings, sizeof(copy));
	assert_non_null(out);
	n_rows = model_writer_write(out, &model);
	assert_int_equal(fclose(out), 0);
	return n_rows;
}

static void check_cost(const struct model *model, const char *form_text, int64_t latency_mcyc, int64_t throughput_mcyc)
{
	struct cost cost;

	model_lookup(model, form_text, &cost);
	assert_int_equal(cost.match, COST_EXACT);
	assert_int_equal(cost.latency_mcyc, latency_mcyc);
	assert_int_equal(cost.throughput_mcyc, throughput_mcyc);
}

static void test_written_model(void **state)
{
	char *path = xasprintf("%s/mine.cost", folder);
	struct text_problems problems = {0};
	struct error err = {0};
	struct model *inherited, *model;
	struct cost cost;

	(void)state;
	write_bytes("base.cost", inherited_text, strlen(inherited_text));
	inherited = model_load("base", &err);
	assert_non_null(inherited);
	assert_int_equal(write_model(path, inherited), N_FORMS - 1);
	model_check(path, NULL, &problems);
	if (problems.n_texts)
		fail_msg("%s", problems.texts[0]);
	model = model_load("mine", &err);
	if (!model)
		fail_msg("%s", err.text);

	check_cost(model, "ADD r64, r64", 1070, 250);
	check_cost(model, "IMUL r64, r64", 2930, 1200);
	check_cost(model, "DIV r64", 20000, 7000);
	check_cost(model, "NOP", 2000, 83); /* the inherited latency */
	check_cost(model, "UD2", 9000, 9000);
	check_cost(model, "REP STOSB m8", 20000, 20000); /* and no longer the middle of a range */
	model_lookup(model, "REP STOSB m8", &cost);
	assert_int_equal(cost.per_iteration_mcyc, 28);
	assert_string_equal(cost.flags, "store iteration:0.028");
	model_lookup(model, "ADD r64, r64", &cost);
	assert_string_equal(cost.ports, "alu:1");
	assert_string_equal(cost.latencies, "1>1:1 2>1:1.07 1>flags:1");
	assert_int_equal(cost.fused, 1);
	model_lookup(model, "DIV r64", &cost);
	assert_string_equal(cost.ports, "div:7 alu:1"); /* else the ports would allow one in 14 cycles */
	model_lookup(model, "POPCNT r32, m32", &cost);
	assert_string_equal(cost.flags, "load");
	assert_int_equal(cost.throughput_mcyc, 1000);
	assert_string_equal(model_parameter(model, "mispredict_cycles"), "13");
	assert_non_null(strstr(model_note(model), "measured on this machine"));
	text_problems_deinit(&problems);
	model_destroy(model);
	model_destroy(inherited);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_written_model)};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
