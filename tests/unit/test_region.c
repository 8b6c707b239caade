/* Regions made of paths, compared with cycles worked out by hand and with the estimate of a block that repeats. */
#include "pipeline_fixture.h"

#include "code_profile.h"
#include "costmodels/estimators/pipeline/region/region.h"
#include "decode/insn_address.h"

#define VA 0x400000
#define DEC_JNZ " 48 83 c1 ff 75 00" /* add rcx, -1; jnz; its target does not matter here */

static int set_up(void **state)
{
	(void)state;
	return load_toy("mispredict_cycles = 10\nrob = 32\n");
}

/* The region under test: call begin(), then add_path() and count_pair(), then estimate(), then end(). */
static struct profile profile;
static uint32_t region;
static struct region_cycles cycles;

static void begin(void)
{
	profile_init(&profile);
	region = profile_intern_region(&profile, "a", PROFILE_NONE);
	profile.has_paths = true;
}

static void estimate(void)
{
	region_cycles_init(&cycles, pipeline, &profile, region);
}

static void end(void)
{
	region_cycles_deinit(&cycles);
	profile_deinit(&profile);
}

static void count_pair(uint32_t from, uint32_t to, uint64_t count)
{
	profile_count_pair(&profile, region, from, to, count);
}

/* Adds a path of consecutive instructions from va on, with equal executions. */
static uint32_t add_path(uint64_t va, const char *hex, uint64_t executions)
{
	struct profile_path path = {.first_insn = profile.n_path_insns, .first_dependence = profile.n_path_dependences};
	uint8_t bytes[256];
	size_t n_bytes = hex_parse(hex, bytes, sizeof(bytes)), at = 0;

	while (at < n_bytes) {
		struct profile_insn insn = {.va = va + at, .module = PROFILE_NONE, .function = PROFILE_NONE};
		struct insn_operands operands;
		struct insn decoded;

		assert_true(insn_decode(bytes + at, n_bytes - at, &decoded));
		assert_true(insn_operands_decode(bytes + at, n_bytes - at, &operands));
		insn.length = decoded.length;
		memcpy(insn.bytes, bytes + at, decoded.length);
		insn.form = profile_intern_form(&profile, insn.bytes, insn.length);
		*ARRAY_ADD(&profile, insns) = insn;
		profile_count(&profile, region, (uint32_t)profile.n_insns - 1, executions, 0);
		*ARRAY_ADD(&profile, path_insns) = (uint32_t)profile.n_insns - 1;
		path.n_insns++;
		path.n_addresses += (uint32_t)insn_count_address_entries(&operands);
		at += decoded.length;
	}
	*ARRAY_ADD(&profile, paths) = path;
	return (uint32_t)profile.n_paths - 1;
}

static void add_dependence(uint32_t load, uint32_t store, uint32_t paths_back)
{
	*ARRAY_ADD(&profile, path_dependences) = (struct profile_dependence){load, store, paths_back, 0};
	profile.paths[profile.n_paths - 1].n_dependences++;
	profile.has_addresses = true;
}

static mcyc_t total_mcyc(void)
{
	mcyc_t by_insn = 0, by_wait = 0;

	for (size_t i = 0; i < cycles.n_insns; i++)
		by_insn += cycles.insn_mcyc[i];
	for (size_t i = 0; i < N_STALLS; i++)
		by_wait += cycles.stalls_mcyc[i];
	assert_int_equal(by_insn, by_wait);
	return by_insn;
}

static void check_near(mcyc_t mcyc, mcyc_t expected, mcyc_t permille)
{
	mcyc_t distance = mcyc > expected ? mcyc - expected : expected - mcyc;

	if (distance * 1000 > expected * permille)
		fail_msg("%ld instead of %ld", (long)mcyc, (long)expected);
}

/* A chain of multiplications: three cycles a round, charged to the multiplication alone. */
static void a_loop_takes_its_rounds(void **state)
{
	uint32_t path;

	(void)state;
	begin();
	path = add_path(VA, "48 0f af c3" DEC_JNZ, 1000);
	count_pair(PROFILE_NONE, path, 1);
	count_pair(path, path, 999);
	estimate();
	check_near(total_mcyc(), 3000000, 10);
	check_near(cycles.stalls_mcyc[STALL_RESULT], 3000000, 10);
	assert_in_range(cycles.insn_mcyc[0], 1000000, 3000000);
	assert_int_equal(cycles.n_simulated, 3000);
	assert_int_equal(cycles.n_other_context + cycles.n_averaged, 0);
	assert_int_equal(cycles.n_loops, 1);
	assert_int_equal(cycles.loops[0].head, 0);
	assert_int_equal(cycles.loops[0].path, path);
	assert_int_equal(cycles.loops[0].iterations, 999);
	assert_int_equal(cycles.loops[0].executions, 2997);
	end();
}

/* Each visit to the loop executes five rounds of a chain of multiplications, which zeroing cuts: 15 cycles. The ROB
 * of 32 overlaps some of them with the next visit, 12 slots later. The counter's chain takes at least 6. */
static void short_loops_overlap(void **state)
{
	uint32_t outer, inner;

	(void)state;
	begin();
	outer = add_path(VA, "31 c0" DEC_JNZ, 1000);
	inner = add_path(VA + 100, "48 0f af c3" DEC_JNZ, 5000);
	count_pair(outer, inner, 1000);
	count_pair(inner, inner, 4000);
	count_pair(inner, outer, 1000);
	estimate();
	assert_in_range(total_mcyc(), 6000000, 9000000);
	assert_int_equal(cycles.n_simulated, 3 * 6000);
	end();
}

/* ADD [rdi], rax loads the value stored one round before: 4 cycles to forward, 1 to add. Without it, the
 * single store-data port is the bound: 1 cycle. */
static void stores_are_forwarded_where_addresses_say(void **state)
{
	for (int has_dependence = 0; has_dependence < 2; has_dependence++) {
		uint32_t path;

		(void)state;
		begin();
		path = add_path(VA, "48 01 07" DEC_JNZ, 1000);
		if (has_dependence)
			add_dependence(0, 0, 1);
		count_pair(path, path, 1000);
		estimate();
		check_near(total_mcyc(), has_dependence ? 5000000 : 1000000, 10);
		end();
	}
}

/* Two alternating kinds of rounds, with one and two multiplications of the chain: 9 cycles for both. */
static void paths_are_simulated_behind_each_other(void **state)
{
	uint32_t one, two;

	(void)state;
	begin();
	one = add_path(VA, "48 0f af c3" DEC_JNZ, 500);
	two = add_path(VA + 0x100, "48 0f af c3 48 0f af c3" DEC_JNZ, 500);
	count_pair(one, two, 500);
	count_pair(two, one, 500);
	estimate();
	check_near(total_mcyc(), 500 * 9000, 10);
	assert_int_equal(cycles.n_loops, 0); /* they begin at different instructions */
	end();
}

/* Returns the cycles of 1,000 rounds of which some end with a misprediction. */
static mcyc_t mispredicted_loop_mcyc(const char *hex, uint32_t branch, uint64_t n_mispredicts)
{
	uint32_t path;
	mcyc_t total;

	begin();
	path = add_path(VA, hex, 1000);
	count_pair(path, path, 1000);
	profile_tally_add(&profile.regions[region].mispredicts, branch, n_mispredicts);
	estimate();
	total = total_mcyc();
	assert_int_equal(cycles.n_mispredicts, n_mispredicts);
	/* Instructions that retire in the cycle after it share that cycle. */
	assert_true(cycles.insn_mcyc[branch] * 10 >= cycles.stalls_mcyc[STALL_MISPREDICT] * 8);
	end();
	return total;
}

/* 10 cycles from the branch's execution to the issue of the right path. The branch executes a cycle or two after its
 * issue. Other rounds take one cycle. */
static void mispredictions_are_charged_to_their_branch(void **state)
{
	mcyc_t without = mispredicted_loop_mcyc("90 90" DEC_JNZ, 3, 0);

	(void)state;
	assert_in_range(mispredicted_loop_mcyc("90 90" DEC_JNZ, 3, 20) - without, 20 * 10000, 20 * 13000);
	assert_in_range(mispredicted_loop_mcyc("90 90" DEC_JNZ, 3, 1000), 1000 * 10990, 1000 * 13000);
}

/* A chain of 3 cycles a round fills the window. A rare misprediction is found long before its round retires and costs
 * little. If all rounds mispredict, each takes the 11 to 13 cycles that one misprediction takes, and a chain of 3
 * cycles hides in them. */
static void frequent_mispredictions_do_not_hide_behind_a_full_window(void **state)
{
	(void)state;
	assert_in_range(mispredicted_loop_mcyc("48 0f af c3" DEC_JNZ, 2, 0), 2990000, 3010000);
	assert_in_range(mispredicted_loop_mcyc("48 0f af c3" DEC_JNZ, 2, 10), 3000000, 3080000);
	assert_in_range(mispredicted_loop_mcyc("48 0f af c3" DEC_JNZ, 2, 1000), 10990000, 13000000);
}

#define CACHES                                                                                                     \
	"l1d_kib = 32\nl1d_ways = 8\nl2_kib = 256\nl2_ways = 4\nl2_latency = 15\nl3_kib = 8192\nl3_ways = 16\n"    \
	"l3_latency = 45\nmemory_ns = 80\ndtlb_entries = 64\ndtlb_ways = 4\nstlb_entries = 1536\nstlb_ways = 12\n" \
	"stlb_latency = 9\npage_walk_latency = 25\n"

static int set_up_caches(void **state)
{
	(void)state;
	return load_toy("mispredict_cycles = 10\nrob = 32\n" CACHES);
}

/* mov rax, [rax], chased: 4 cycles a round. If every load is in L2, 10 cycles more: 15 instead of 5. If each fourth
 * is in L2, 2.5 more. If ten in a thousand are in L3, which is simulated separately, 40 more each. If the profile has
 * other caches, nothing more. */
static void loads_that_miss_take_longer(void **state)
{
	static const struct {
		const char *geometry;
		enum profile_miss miss;
		uint64_t count;
		mcyc_t cycles_mcyc;
	} rows[] = {
		{"512/8 4096/4 131072/16 64/4 1536/12", MISS_SERVED_BY_L2, 1000, 14000000},
		{"512/8 4096/4 131072/16 64/4 1536/12", MISS_SERVED_BY_L2, 250, 6500000},
		{"512/8 4096/4 131072/16 64/4 1536/12", MISS_SERVED_BY_L3, 10, 4400000},
		{"512/8 4096/4 131072/16 64/4 1536/12", MISS_SERVED_BY_STLB, 1000, 13000000},
		{"512/8 8192/4 131072/16 64/4 1536/12", MISS_SERVED_BY_L2, 1000, 4000000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		bool is_ours = i + 1 < ARRAY_LENGTH(rows);
		uint32_t path;

		begin();
		path = add_path(VA, "48 8b 00" DEC_JNZ, 1000);
		count_pair(path, path, 1000);
		*ARRAY_ADD(&profile, caches) = xstrdup(rows[i].geometry);
		profile_count_miss(&profile, region, 0, rows[i].miss, 0, rows[i].count);
		estimate();
		assert_int_equal(cycles.has_caches, is_ours);
		assert_int_equal(cycles.n_misses[rows[i].miss], is_ours ? rows[i].count : 0);
		check_near(total_mcyc(), rows[i].cycles_mcyc, 20);
		end();
	}
}

/* A rare pair counts as its path after another predecessor. */
static void rare_pairs_count_as_others(void **state)
{
	uint32_t loop, other;

	(void)state;
	begin();
	loop = add_path(VA, "48 0f af c3" DEC_JNZ, 10000001);
	other = add_path(VA + 0x100, "90", 1);
	count_pair(loop, loop, 10000000);
	count_pair(loop, other, 1);
	count_pair(other, loop, 1);
	estimate();
	assert_int_equal(cycles.n_simulated, 30000001);
	assert_int_equal(cycles.n_other_context, 3);
	check_near(total_mcyc(), INT64_C(30000000000), 1);
	end();
}

/* Loops with each kind of bound on CPUs without a loop buffer equal the block alone, simulated. */
static void a_loop_is_the_block_that_repeats(void **state)
{
	static const char *const models[] = {"skylake", "zen4", "zen5"};
	static const char *const loops[] = {
		"48 ff c9 75 fb",				      /* dec; jnz */
		"48 0f af c3 48 ff c9 75 f7",			      /* imul */
		"48 8b 00 48 ff c9 75 f8",			      /* mov rax, [rax] */
		"48 03 06 48 83 c6 08 48 ff c9 75 f4",		      /* add rax, [rsi]; add rsi, 8 */
		"f2 0f 10 06 f2 0f 59 07 f2 0f 58 c8 48 ff c9 75 ee", /* movsd, mulsd, addsd: dot product */
		"90 90 90 90 90 90 90 90 90 90 48 ff c9 75 f1",	      /* issue */
		"48 c1 e0 03 48 c1 e3 03 48 c1 e2 03 48 ff c9 75 ef", /* shifts */
		"88 07 48 ff c7 48 ff c9 75 f6",		      /* mov [rdi], al; inc rdi */
		"66 0f ef c0 66 0f fe c1 66 0f fe d1 66 0f fe d9 48 ff c9 75 eb",
		"48 99 48 f7 fb 48 ff c9 75 f6", /* cqo; idiv */
	};

	(void)state;
	setenv("ITRACE_MODEL_PATH", MODELS_DIR, 1);
	for (size_t m = 0; m < ARRAY_LENGTH(models); m++) {
		struct error err = {0};
		struct model *real = model_load(models[m], &err);
		struct pipeline *machine = real ? pipeline_create(real, &err) : NULL;

		if (!machine)
			fail_msg("%s", err.text);
		for (size_t i = 0; i < ARRAY_LENGTH(loops); i++) {
			const struct pipeline_options options = {.mode = PIPELINE_LOOP};
			struct pipeline_result result = {0};
			uint32_t path;
			uint8_t bytes[64];
			size_t n_bytes = hex_parse(loops[i], bytes, sizeof(bytes));

			begin();
			path = add_path(0, loops[i], 1000);
			count_pair(path, path, 1000);
			region_cycles_init(&cycles, machine, &profile, region);
			assert_true(pipeline_estimate(machine, bytes, n_bytes, &options, &result, &err));
			check_near(total_mcyc() / 1000, result.simulated_mcyc, 20);
			pipeline_result_deinit(&result);
			end();
		}
		pipeline_destroy(machine);
		model_destroy(real);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_loop_takes_its_rounds, set_up, destroy_toy),
		cmocka_unit_test_setup_teardown(short_loops_overlap, set_up, destroy_toy),
		cmocka_unit_test_setup_teardown(stores_are_forwarded_where_addresses_say, set_up, destroy_toy),
		cmocka_unit_test_setup_teardown(paths_are_simulated_behind_each_other, set_up, destroy_toy),
		cmocka_unit_test_setup_teardown(mispredictions_are_charged_to_their_branch, set_up, destroy_toy),
		cmocka_unit_test_setup_teardown(frequent_mispredictions_do_not_hide_behind_a_full_window, set_up,
						destroy_toy),
		cmocka_unit_test_setup_teardown(loads_that_miss_take_longer, set_up_caches, destroy_toy),
		cmocka_unit_test_setup_teardown(rare_pairs_count_as_others, set_up, destroy_toy),
		cmocka_unit_test(a_loop_is_the_block_that_repeats),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
