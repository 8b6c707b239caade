/* The dearest instructions in the installed models: locked, repeated and system instructions cost what they cost. */
#include "model_fixture.h"

#include "costmodels/estimators/pipeline/pipeline.h"

static const char *const modern[] = {
	"sandybridge",	  "ivybridge",	 "haswell", "broadwell",  "skylake",   "coffeelake",
	"skylake-avx512", "cascadelake", "icelake", "tigerlake",  "alderlake", "raptorlake",
	"sapphirerapids", "lunarlake",	 "atom",    "silvermont", "jaguar",    "piledriver",
	"zen1",		  "zen2",	 "zen3",    "zen4",	  "zen5",
};

static int find_installed(void **state)
{
	return make_folder(state) || setenv("ITRACE_MODEL_PATH", MODELS_DIR, 1);
}

static struct model *load_installed(const char *name)
{
	struct error err = {0};
	struct model *model = model_load(name, &err);

	if (!model)
		fail_msg("%s", err.text);
	return model;
}

struct least {
	const char *form;
	int cycles; /* both columns have at least these */
	bool iterates;
};

static void check_least(const struct model *model, const struct least *least)
{
	struct cost cost;

	model_lookup(model, least->form, &cost);
	if (cost.match == COST_UNKNOWN || cost.throughput_mcyc < least->cycles * MCYC_PER_CYCLE ||
	    cost.latency_mcyc < least->cycles * MCYC_PER_CYCLE || (cost.per_iteration_mcyc > 0) != least->iterates)
		fail_msg("%s: %s: match %d, latency %d, throughput %d, iteration %d", model_name(model), least->form,
			 cost.match, (int)cost.latency_mcyc, (int)cost.throughput_mcyc, (int)cost.per_iteration_mcyc);
}

static void every_modern_model(void **state)
{
	static const struct least all[] = {
		{"LOCK ADD m64, r64", 8, false},
		{"LOCK SUB m8, imm8", 8, false},
		{"LOCK XADD m32, r32", 8, false},
		{"LOCK CMPXCHG m64, r64", 8, false},
		{"LOCK CMPXCHG16B m128", 8, false},
		{"LOCK DEC m32", 6, false},
		{"LOCK BTS m64, imm8", 8, false},
		{"XCHG m64, r64", 8, false},
		{"XCHG m8, r8", 8, false},
		{"REP MOVSB m8, m8", 14, true},
		{"REP MOVSQ m64, m64", 14, true},
		{"REP STOSB m8", 14, true},
		{"REP STOSD m32", 14, true},
		{"REP LODSW m16", 14, true},
		{"REPNE SCASB m8", 14, true},
		{"REPE SCASQ m64", 14, true},
		{"REPE CMPSB m8, m8", 14, true},
		{"REPNE CMPSQ m64, m64", 14, true},
		{"CPUID", 100, false},
		{"RDTSC", 20, false},
		{"SYSCALL", 20, false},
	};
	static const struct least with_xsave[] = {{"XSAVE m4608", 25, false}, {"XRSTOR m4608", 20, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(modern); i++) {
		struct model *model = load_installed(modern[i]);
		bool has_xsave = strcmp(modern[i], "atom") != 0 && strcmp(modern[i], "silvermont") != 0;

		for (size_t k = 0; k < ARRAY_LENGTH(all); k++)
			check_least(model, &all[k]);
		for (size_t k = 0; k < ARRAY_LENGTH(with_xsave) && has_xsave; k++)
			check_least(model, &with_xsave[k]);
		model_destroy(model);
	}
}

static void check(const char *model_name, const char *form, enum cost_match match, mcyc_t mcyc)
{
	struct model *model = load_installed(model_name);
	struct cost cost;

	model_lookup(model, form, &cost);
	check_figures(&cost, match, mcyc, mcyc);
	model_destroy(model);
}

static void single_figures(void **state)
{
	(void)state;
	check("skylake", "RDTSC", COST_EXACT, 25000);
	check("skylake", "XSAVEC m4608", COST_FALLBACK, 42000);
	check("skylake", "XRSTOR m4608", COST_FALLBACK, 37000);
	check("zen4", "XSAVEC m4608", COST_EXACT, 175000);
	check("zen4", "LOCK CMPXCHG m64, r64", COST_EXACT, 9000);
	check("zen5", "LOCK CMPXCHG m64, r64", COST_EXACT, 20000);
	check("pentium", "RDTSC", COST_EXACT, 11000);
}

/* A double shift of one register is a rotation. */
static void double_shifts(void **state)
{
	(void)state;
	check("skylake", "SHLD r64, r64, imm8 (same)", COST_EXACT, 1000);
	check("coffeelake", "SHRD r16, r16, imm8 (same)", COST_EXACT, 1000);
	check("pentium", "SHLD r32, r32, imm8 (same)", COST_FALLBACK, 4000);
}

/* SHLD RAX, RAX, 7 in a chain: one cycle each. SHLD RAX, RCX, 7: three. */
static void double_shifts_in_a_loop(void **state)
{
	static const uint8_t same[] = {0x48, 0x0f, 0xa4, 0xc0, 7}, different[] = {0x48, 0x0f, 0xa4, 0xc8, 7};
	struct model *model = load_installed("skylake");
	struct pipeline_options options = {.mode = PIPELINE_UNROLLED};
	struct pipeline_result result = {0};
	struct error err = {0};
	struct pipeline *pipeline = pipeline_create(model, &err);

	(void)state;
	assert_non_null(pipeline);
	assert_true(pipeline_estimate(pipeline, same, sizeof(same), &options, &result, &err));
	assert_int_equal(result.bounds_mcyc[BOUND_LATENCY], 1000);
	assert_true(pipeline_estimate(pipeline, different, sizeof(different), &options, &result, &err));
	assert_int_equal(result.bounds_mcyc[BOUND_LATENCY], 3000);
	pipeline_result_deinit(&result);
	pipeline_destroy(pipeline);
	model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_modern_model),
		cmocka_unit_test(single_figures),
		cmocka_unit_test(double_shifts),
		cmocka_unit_test(double_shifts_in_a_loop),
	};

	return cmocka_run_group_tests(tests, find_installed, remove_folder);
}
