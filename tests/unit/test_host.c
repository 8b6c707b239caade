#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "costmodels/model/host.h"
#include "costmodels/model/model.h"

static void known(void **state)
{
	static const struct {
		struct host_id id;
		const char *model;
		bool is_exact;
		const char *text;
	} cpus[] = {
		{{"GenuineIntel", 6, 0x5e, 3, true, true, false, false}, "skylake", true, "Intel family 6 model 94"},
		{{"GenuineIntel", 6, 0x55, 4, true, true, true, false}, "skylake-avx512", true, NULL},
		{{"GenuineIntel", 6, 0x55, 7, true, true, true, false}, "cascadelake", true, NULL},
		{{"GenuineIntel", 6, 0x55, 11, true, true, true, false}, "cooperlake", true, NULL},
		{{"GenuineIntel", 6, 0x8f, 8, true, true, true, true}, "sapphirerapids", true, NULL},
		{{"AuthenticAMD", 0x17, 0x71, 0, true, true, false, false}, "zen2", true, "AMD family 23 model 113"},
		{{"AuthenticAMD", 0x19, 0x21, 0, true, true, false, false}, "zen3", true, NULL},
		{{"AuthenticAMD", 0x19, 0x61, 2, true, true, true, false}, "zen4", true, NULL},
		{{"AuthenticAMD", 0x1a, 0x44, 0, true, true, true, false}, "zen5", true, NULL},
		{{"HygonGenuine", 0x18, 0x01, 1, true, true, false, false}, "zen1", true, NULL},
		/* not in the tables */
		{{"GenuineIntel", 6, 0xfe, 0, true, true, true, true}, "sapphirerapids", false, NULL},
		{{"GenuineIntel", 19, 1, 0, true, true, true, false}, "icelake", false, NULL},
		{{"GenuineIntel", 6, 0xfe, 0, true, true, false, false}, "lunarlake", false, NULL},
		{{"GenuineIntel", 6, 0xfe, 0, true, false, false, false}, "sandybridge", false, NULL},
		{{"GenuineIntel", 6, 0xfe, 0, false, false, false, false}, "silvermont", false, NULL},
		{{"AuthenticAMD", 0x1b, 0, 0, true, true, true, false}, "zen5", false, NULL},
		{{"AuthenticAMD", 0x19, 0xf0, 0, true, true, true, false}, "zen4", false, NULL},
		{{"AuthenticAMD", 0x15, 0x90, 0, true, true, false, false}, "piledriver", false, NULL},
		{{"AuthenticAMD", 0x10, 4, 0, false, false, false, false}, "jaguar", false, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cpus); i++) {
		struct host_cpu cpu;
		struct error err = {0};

		assert_true(host_find_id(&cpus[i].id, &cpu, &err));
		assert_string_equal(cpu.model, cpus[i].model);
		assert_int_equal(cpu.is_exact, cpus[i].is_exact);
		if (cpus[i].text)
			assert_string_equal(cpu.text, cpus[i].text);
	}
}

static void other_maker(void **state)
{
	const struct host_id id = {.vendor = "CentaurHauls", .family = 6};
	struct host_cpu cpu;
	struct error err = {0};

	(void)state;
	assert_false(host_find_id(&id, &cpu, &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.text, "'CentaurHauls'"));
}

/* Every name in the tables is an installed model. This machine has a model, or a message says why not. */
static void names_exist(void **state)
{
	const char *last = "";
	struct host_cpu cpu;

	(void)state;
	assert_int_equal(setenv("ITRACE_MODEL_PATH", MODELS_DIR, 1), 0);
	for (unsigned maker = 0; maker < 2; maker++)
		for (unsigned family = 5; family < 0x1c; family++)
			for (unsigned model = 0; model < 256; model++) {
				struct host_id id = {.family = family, .model = model, .has_avx = true};
				struct error err = {0};
				struct model *found;

				strcpy(id.vendor, maker ? "AuthenticAMD" : "GenuineIntel");
				assert_true(host_find_id(&id, &cpu, &err));
				if (!cpu.is_exact || strcmp(cpu.model, last) == 0)
					continue;
				last = cpu.model;
				found = model_load(cpu.model, &err);
				if (!found)
					fail_msg("%s: %s", cpu.text, err.text);
				model_destroy(found);
			}
}

static void this_machine(void **state)
{
	struct error err = {0};
	struct model *model = model_load("host", &err);

	(void)state;
	if (model)
		assert_true(model_n_rows(model) > 1000);
	else
		assert_non_null(strstr(err.text, "this machine's CPU"));
	model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known),
		cmocka_unit_test(other_maker),
		cmocka_unit_test(names_exist),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
