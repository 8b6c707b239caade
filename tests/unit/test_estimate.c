#include "model_fixture.h"

#include "code_profile.h"
#include "costmodels/estimators/estimate.h"
#include "costmodels/estimators/p5/pairing.h"

/* Ranked by throughput. XOR has a row only for other widths; CPUID has none. */
#define TOY                                \
	HEADER "clock_mhz = 2000\n"        \
	       "[forms]\n"                 \
	       "ADD r64, r64 | 1 | 0.25\n" \
	       "MOV r64, m64 | 5 | 0.5\n"  \
	       "XOR r64, r64 | 1 | 0.333\n"

#define ADD "\x48\x01\xd8" /* add rax, rbx */
#define MOV "\x48\x8b\x03" /* mov rax, [rbx] */
#define XOR "\x31\xd8"	   /* xor eax, ebx */
#define CPUID "\x0f\xa2"
#define REP_STOSB "\xf3\xaa"

static uint32_t add_insn(struct profile *profile, const char *bytes, uint64_t va)
{
	uint32_t form = profile_intern_form(profile, (const uint8_t *)bytes, strlen(bytes));
	struct profile_insn *insn = ARRAY_ADD(profile, insns);

	*insn = (struct profile_insn){.va = va, .form = form, .module = PROFILE_NONE, .function = PROFILE_NONE};
	insn->length = (uint8_t)strlen(bytes);
	return (uint32_t)profile->n_insns - 1;
}

static void sums(void **state)
{
	struct model *model = load_text(TOY);
	struct profile profile;
	struct estimate estimate;
	struct profile_groups groups;
	uint32_t region, other;
	uint64_t unknown;

	(void)state;
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	other = profile_intern_region(&profile, "b", PROFILE_NONE);
	profile_count(&profile, region, add_insn(&profile, ADD, 0x1000), 1000, 0);
	profile_count(&profile, region, add_insn(&profile, MOV, 0x1003), 100, 0);
	profile_count(&profile, region, add_insn(&profile, ADD, 0x1006), 24, 0); /* the form again */
	profile_count(&profile, region, add_insn(&profile, XOR, 0x1009), 10, 0);
	profile_count(&profile, region, add_insn(&profile, CPUID, 0x100b), 7, 0);
	profile_count(&profile, other, add_insn(&profile, MOV, 0x100d), 1000000, 0);

	estimate_region_init(&estimate, model, &profile, region);
	assert_ptr_equal(estimate.model, model);
	assert_string_equal(estimate.estimator, "table");
	assert_int_equal(estimate.n_forms, 4);
	/* 1024 ADD at 1, 100 MOV at 5, 10 XOR at 1 */
	assert_int_equal(estimate.latency_mcyc, 1534000);
	/* 1024 at 0.25, 100 at 0.5, 10 at 0.333 */
	assert_int_equal(estimate.throughput_mcyc, 256000 + 50000 + 3330);
	assert_int_equal(estimate.total_mcyc, 309330);
	assert_int_equal(estimate.time_ns, 155); /* 309.33 cycles of 0.5 ns: 154.665 */
	assert_int_equal(estimate.exact, 1124);
	assert_int_equal(estimate.fallback, 10);
	assert_int_equal(estimate.unknown, 7);

	profile_group_init(&groups, &profile, region, GROUP_BY_MNEMONIC);
	assert_int_equal(groups.n_groups, 4);
	for (size_t i = 0; i < groups.n_groups; i++) {
		const struct profile_group *group = &groups.groups[i];
		mcyc_t mcyc = estimate_group_mcyc(&estimate, group, &unknown);

		assert_int_equal(estimate_group_mcyc(&estimate, group, NULL), mcyc);
		if (strcmp(group->name, "ADD") == 0)
			assert_int_equal(mcyc, 256000);
		else if (strcmp(group->name, "CPUID") == 0)
			assert_int_equal(mcyc, 0);
		assert_int_equal(unknown, strcmp(group->name, "CPUID") == 0 ? 7 : 0);
	}
	profile_group_deinit(&groups);
	estimate_region_deinit(&estimate);
	profile_deinit(&profile);
	model_destroy(model);
}

/* A fill of 512 bytes, which the reference gives as 247 cycles: 52 + 512 * 0.381; 45 ns a cycle. */
static void iterations(void **state)
{
	struct error err = {0};
	struct model *model = model_load(MODELS_DIR "/vax8800.cost", &err);
	struct profile profile;
	struct estimate estimate;
	uint32_t region;

	(void)state;
	assert_non_null(model);
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	profile_count(&profile, region, add_insn(&profile, REP_STOSB, 0x1000), 1, 512);
	estimate_region_init(&estimate, model, &profile, region);
	assert_int_equal(estimate.latency_mcyc, 247072);
	assert_int_equal(estimate.throughput_mcyc, 247072);
	assert_int_equal(estimate.total_mcyc, 247072);
	assert_int_equal(estimate.time_ns, 11118); /* the reference: 11.14 us */
	assert_int_equal(estimate.exact, 1);
	estimate_region_deinit(&estimate);
	profile_deinit(&profile);
	model_destroy(model);
}

/* Without executions nothing is costed. Without a clock there is no time. */
static void nothing(void **state)
{
	struct model *model = load_text(HEADER "[forms]\nADD r64, r64 | 1 | 1\n");
	struct profile profile;
	struct estimate estimate;
	uint32_t region, busy;

	(void)state;
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	busy = profile_intern_region(&profile, "b", PROFILE_NONE);
	profile_count(&profile, busy, add_insn(&profile, ADD, 0x1000), 5, 0);
	estimate_region_init(&estimate, model, &profile, region);
	assert_int_equal(estimate.total_mcyc, 0);
	assert_int_equal(estimate.exact + estimate.fallback + estimate.unknown, 0);
	estimate_region_deinit(&estimate);
	estimate_region_init(&estimate, model, &profile, busy);
	assert_int_equal(estimate.total_mcyc, 5000);
	assert_int_equal(estimate.time_ns, 0);
	estimate_region_deinit(&estimate);
	profile_deinit(&profile);
	model_destroy(model);
}

/* The largest total that fits: counts above 2^32 do not wrap. */
static void large_counts(void **state)
{
	struct model *model = load_text(TOY);
	struct profile profile;
	struct estimate estimate;
	uint32_t region;

	(void)state;
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	profile_count(&profile, region, add_insn(&profile, ADD, 0x1000), 9223372036854775, 0);
	estimate_region_init(&estimate, model, &profile, region);
	assert_int_equal(estimate.latency_mcyc, 9223372036854775000);
	assert_int_equal(estimate.throughput_mcyc, 2305843009213693750);
	estimate_region_deinit(&estimate);
	profile_deinit(&profile);
	model_destroy(model);
}

static mcyc_t figure(const struct estimate *estimate, const char *key)
{
	for (size_t i = 0; i < estimate->n_figures; i++)
		if (strcmp(estimate->figures[i].key, key) == 0)
			return estimate->figures[i].value;
	fail_msg("no figure %s", key);
	return -1;
}

/* The charges of all instructions add up to the total, in any grouping. */
static void check_sums(const struct estimate *estimate, const struct profile *profile, uint32_t region)
{
	mcyc_t sum = 0;

	for (size_t i = 0; i < estimate->n_insns; i++)
		sum += estimate->insn_mcyc[i];
	assert_int_equal(sum, estimate->total_mcyc);
	for (int by = GROUP_BY_FORM; by <= GROUP_BY_INLINED; by++) {
		struct profile_groups groups;

		profile_group_init(&groups, profile, region, (enum profile_group_by)by);
		sum = 0;
		for (size_t i = 0; i < groups.n_groups; i++)
			sum += estimate_group_mcyc(estimate, &groups.groups[i], NULL);
		assert_int_equal(sum, estimate->total_mcyc);
		profile_group_deinit(&groups);
	}
}

/* tests/programs/pairs.S, visited 10 times: 16 cycles each. */
static void pairing(void **state)
{
	struct error err = {0};
	struct model *model = model_load(MODELS_DIR "/pentium.cost", &err);
	struct profile profile;
	struct estimate estimate;
	uint32_t region, add, lea, jnz, cmov, stos;

	(void)state;
	if (!model)
		fail_msg("%s", err.text);
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	add_code(&profile, region, 0x1000, "b9 04 00 00 00", 10);
	add_code(&profile, region, 0x1005, "31 c0", 10);
	lea = add_code(&profile, region, 0x1007, "48 8d 15 00 10 00 00", 10);
	add = add_code(&profile, region, 0x100e, "03 02", 40);
	add_code(&profile, region, 0x1010, "48 83 c2 04", 40);
	add_code(&profile, region, 0x1014, "ff c9", 40);
	jnz = add_code(&profile, region, 0x1016, "75 f6", 40);
	add_code(&profile, region, 0x1018, "89 05 00 10 00 00", 10);
	profile.insns[jnz].function = profile_intern_function(&profile, "f", PROFILE_NONE);
	profile_count_edge(&profile, region, jnz, add, 30);

	estimate_region_init(&estimate, model, &profile, region);
	assert_string_equal(estimate.estimator, "pairing");
	assert_int_equal(estimate.total_mcyc, 160000);
	assert_int_equal(estimate.latency_mcyc, 240000); /* one after the other: 10 * (3 + 4 * (2 + 1 + 1 + 1) + 1) */
	assert_int_equal(estimate.insn_mcyc[lea], 10000);
	assert_int_equal(estimate.insn_mcyc[add], 90000);
	assert_int_equal(estimate.insn_mcyc[jnz], 0);
	assert_int_equal(figure(&estimate, "v_pipe_instructions"), 90);
	assert_int_equal(figure(&estimate, "address_generation_cycles"), 10000);
	assert_int_equal(figure(&estimate, "pairing_failure_cycles"), 10000);
	assert_int_equal(figure(&estimate, "prefix_cycles"), 0);
	assert_int_equal(estimate.exact, 150);
	assert_int_equal(estimate.fallback, 50); /* 64-bit LEA and ADD as 32-bit */
	check_sums(&estimate, &profile, region);
	estimate_region_deinit(&estimate);

	/* Unknown instructions cost nothing but are counted. Iterations are added. */
	cmov = add_code(&profile, region, 0x2000, "0f 44 c1", 7);
	stos = add_code(&profile, region, 0x2003, "f3 aa", 0);
	profile_count(&profile, region, stos, 7, 700);
	estimate_region_init(&estimate, model, &profile, region);
	assert_int_equal(estimate.insn_mcyc[cmov], 0);
	assert_int_equal(estimate.unknown, 7);
	assert_int_equal(estimate.insn_mcyc[stos], 7 * 9000 + 700 * 1000);
	check_sums(&estimate, &profile, region);
	estimate_region_deinit(&estimate);
	profile_deinit(&profile);
	model_destroy(model);
}

/* State that one run leaves for the next: an address whose register is written in the last cycle of the loop, and an
 * x87 chain through all rounds. */
static void pairing_across_branches(void **state)
{
	struct error err = {0};
	struct model *model = model_load(MODELS_DIR "/pentium.cost", &err);
	struct profile profile;
	struct estimate estimate;
	uint32_t walk, chain, mov, add, jnz, fadd;

	(void)state;
	if (!model)
		fail_msg("%s", err.text);
	profile_init(&profile);
	walk = profile_intern_region(&profile, "walk", PROFILE_NONE);
	mov = add_code(&profile, walk, 0x1000, "8b 02", 100);
	add = add_code(&profile, walk, 0x1002, "83 c2 04", 100);
	jnz = add_code(&profile, walk, 0x1005, "75 f9", 100);
	profile_count_edge(&profile, walk, jnz, mov, 99);
	estimate_region_init(&estimate, model, &profile, walk);
	/* (mov eax, [rdx]; add edx, 4), jnz: edx is written two cycles before */
	assert_int_equal(estimate.total_mcyc, 200000);
	assert_int_equal(figure(&estimate, "address_generation_cycles"), 0);
	estimate_region_deinit(&estimate);
	profile.insns[mov].va = 0x0ffd; /* mov eax, [rdx+4] */
	memcpy(profile.insns[mov].bytes, "\x8b\x42\x04", 3);
	profile.insns[mov].length = 3;
	add_code(&profile, walk, 0x1000, "89 fb", 100); /* mov ebx, edi */
	estimate_region_init(&estimate, model, &profile, walk);
	/* (mov, mov), (add, jnz): edx is late in 99 rounds */
	assert_int_equal(estimate.total_mcyc, 299000);
	assert_int_equal(figure(&estimate, "address_generation_cycles"), 99000);
	assert_int_equal(estimate.insn_mcyc[mov], 199000);
	assert_int_equal(estimate.insn_mcyc[add], 100000);
	check_sums(&estimate, &profile, walk);
	estimate_region_deinit(&estimate);

	/* fadd st0, st1; dec ecx; jnz: 3 cycles a round, of the last one 2 */
	chain = profile_intern_region(&profile, "chain", PROFILE_NONE);
	fadd = add_code(&profile, chain, 0x2000, "d8 c1", 100);
	add_code(&profile, chain, 0x2002, "ff c9", 100);
	jnz = add_code(&profile, chain, 0x2004, "75 fa", 100);
	profile_count_edge(&profile, chain, jnz, fadd, 99);
	estimate_region_init(&estimate, model, &profile, chain);
	assert_int_equal(estimate.total_mcyc, 2000 + 99 * 3000);
	assert_int_equal(estimate.insn_mcyc[fadd], 1000 + 99 * 2000);
	check_sums(&estimate, &profile, chain);
	estimate_region_deinit(&estimate);
	profile_deinit(&profile);
	model_destroy(model);
}

/* Marsaglia, "Xorshift RNGs", 2003. */
static uint32_t random_next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

#define N_WALK_INSNS 90
#define N_WALK_STEPS 20000

/* A random walk through random code with jumps to any instruction, also into the middle of runs. Counts and edges
 * give the cycles of a simulation of the whole walk, instruction by instruction. */
static void pairing_of_a_walk(void **state)
{
	static const char *const pool[] = {"01 c8", "01 cb",	"8b 32",    "01 0a",	"83 c2 04", "50",   "59",
					   "90",    "66 89 c8", "0f b6 c1", "c1 e0 03", "11 c8",    "75 00"};
	struct error err = {0};
	struct model *model = model_load(MODELS_DIR "/pentium.cost", &err);
	uint32_t seed = 7;

	(void)state;
	if (!model)
		fail_msg("%s", err.text);
	for (int round = 0; round < 20; round++) {
		struct pairing_insn insns[N_WALK_INSNS];
		struct pairing_state pipes = {0};
		struct pairing_totals totals = {0};
		uint32_t *path = xcalloc(N_WALK_STEPS, sizeof(*path)), at = 0;
		uint64_t va = 0x1000;
		struct profile profile;
		struct estimate estimate;
		uint32_t region;

		profile_init(&profile);
		region = profile_intern_region(&profile, "walk", PROFILE_NONE);
		for (uint32_t i = 0; i < N_WALK_INSNS; i++) {
			struct cost cost;

			add_code(&profile, region, va,
				 i + 1 == N_WALK_INSNS ? "eb 00" : pool[random_next(&seed) % ARRAY_LENGTH(pool)], 0);
			va += profile.insns[i].length;
			model_lookup(model, profile.forms[profile.insns[i].form].form.text, &cost);
			pairing_insn_init(&insns[i], &cost, profile.insns[i].bytes, profile.insns[i].length);
		}
		for (size_t i = 0; i < N_WALK_STEPS; i++) {
			uint32_t next = at + 1;

			path[i] = at;
			profile_count(&profile, region, at, 1, 0);
			if (insns[at].is_branch && (at + 1 == N_WALK_INSNS || random_next(&seed) % 2))
				next = random_next(&seed) % N_WALK_INSNS;
			if (next != at + 1 && i + 1 < N_WALK_STEPS)
				profile_count_edge(&profile, region, at, next, 1);
			at = next;
		}
		pairing_run(insns, &(struct pairing_sequence){path, N_WALK_STEPS, 1}, PAIRING_REAL, &pipes, &totals);
		estimate_region_init(&estimate, model, &profile, region);
		assert_int_equal(figure(&estimate, "v_pipe_instructions"), totals.v_executions);
		assert_int_equal(figure(&estimate, "prefix_cycles"), totals.prefix_mcyc);
		/* Several runs may end at one branch, and only one of them leave a register late. */
		assert_int_equal(estimate.total_mcyc - figure(&estimate, "address_generation_cycles"),
				 totals.mcyc - totals.address_mcyc);
		assert_in_range(estimate.total_mcyc, totals.mcyc * 99 / 100, totals.mcyc * 101 / 100);
		check_sums(&estimate, &profile, region);
		estimate_region_deinit(&estimate);
		profile_deinit(&profile);
		free(path);
	}
	model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),
		cmocka_unit_test(iterations),
		cmocka_unit_test(nothing),
		cmocka_unit_test(large_counts),
		cmocka_unit_test(pairing),
		cmocka_unit_test(pairing_across_branches),
		cmocka_unit_test(pairing_of_a_walk),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
