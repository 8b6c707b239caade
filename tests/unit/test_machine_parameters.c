/* Measured parameters as lines of a model. */
#include "timing/machine/parameters.h"

#include "model_fixture.h"

static void test_lines(void **state)
{
	static const char text[] = HEADER
		"[parameters]\nrob = 320\nl2_latency = 14\ndtlb_entries = 72\ndtlb_ways = 72\n"
		"[forms]\nNOP | 1 | 1\n";
	static const struct machine machine = {
		.parameters =
			{{.key = "rob", .value = 319, .milli = 319000, .spread_permille = 3, .how = "NOPs"},
			 {.key = "l2_latency", .value = 15, .milli = 15020, .spread_permille = 2, .how = "loads"},
			 {.key = "dtlb_entries", .value = 64, .milli = 64000, .spread_permille = 60, .how = "pages"},
			 {.key = "l3_kib", .missing = "noise"},
			 {.key = "memory_ns", .missing = "no memory"}},
		.n_parameters = 5,
	};
	static const char *const expected[][2] = {
		{"rob", "320"}, /* within 1 % */
		{"l2_latency", "15"},
		{"dtlb_entries", "64"},
		{"dtlb_ways", "64"}, /* still fully associative */
	};
	struct measured_parameter lines[MAX_MEASURED_PARAMETERS];
	struct model *inherited = load_text(text);
	char *missing = machine_describe_missing(&machine);

	(void)state;
	assert_null(machine_find(&machine, "l3_kib"));
	assert_int_equal(machine_list_parameters(&machine, inherited, lines), ARRAY_LENGTH(expected));
	for (size_t i = 0; i < ARRAY_LENGTH(expected); i++) {
		assert_string_equal(lines[i].key, expected[i][0]);
		assert_string_equal(lines[i].value, expected[i][1]);
	}
	assert_string_equal(lines[1].comment, "measured: 15.02, spread 0.2 %; loads");
	assert_string_equal(missing, "parameters not measured: l3_kib (noise), memory_ns (no memory)");
	free(missing);
	model_destroy(inherited);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
