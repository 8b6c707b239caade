/* Blocks on a toy CPU. The answers, worked out by hand, are next to each. */
#include "pipeline_fixture.h"

#include "hex.h"

static struct pipeline_result result;

static int set_up(void **state)
{
	(void)state;
	return load_toy("");
}

static int tear_down(void **state)
{
	pipeline_result_deinit(&result);
	return destroy_toy(state);
}

static void estimate_as(const char *hex, enum pipeline_mode mode, enum pipeline_pointers pointers)
{
	struct pipeline_options options = {.mode = mode, .pointers = pointers};
	struct error err = {0};
	uint8_t bytes[256];
	size_t n = hex_parse(hex, bytes, sizeof(bytes));

	if (!pipeline_estimate(pipeline, bytes, n, &options, &result, &err))
		fail_msg("%s", err.text);
}

static void estimate(const char *hex)
{
	estimate_as(hex, PIPELINE_UNROLLED, POINTERS_DISTINCT);
}

static void check_bound(const char *hex, enum pipeline_bound bound, mcyc_t mcyc)
{
	estimate(hex);
	assert_int_equal(result.bounds_mcyc[bound], mcyc);
}

/* 16 copies of 3 bytes are 3 windows of 16. The first window ends 5 instructions; the second ends 5, and the opcode
 * after the REX at 30 begins one that crosses; the third ends 6: 1 + 2 + 2 cycles. */
static void predecode(void **state)
{
	(void)state;
	check_bound("48 0f af c3", BOUND_PREDECODE, 250); /* 4 in each window: 1 cycle */
	check_bound("48 01 c8", BOUND_PREDECODE, 313);
	/* 16 copies of 5 bytes are 5 windows of at most 4 instructions, one cycle each, and each prefix costs 3
	 * cycles. */
	check_bound("66 81 c1 34 12", BOUND_PREDECODE, 3313);
	/* ret imm16 and mov cx, [mem] have no length-changing prefix */
	check_bound("48 8b 04 25 00 00 00 00", BOUND_PREDECODE, 500);
}

static void decode(void **state)
{
	(void)state;
	check_bound("90 90 90 90 90", BOUND_DECODE, 1250);
	/* An instruction that may fuse with a jump is not decoded last: three a cycle. */
	check_bound("48 01 c8", BOUND_DECODE, 333);
	/* Two micro-fused micro-operations need the first decoder: one cycle for each. */
	check_bound("48 01 07 90 48 01 07", BOUND_DECODE, 2000);
	/* The sequencer delivers 10 micro-operations, 4 a cycle, after one cycle to start. */
	check_bound("48 f7 f1", BOUND_DECODE, 4000);
}

static void issue(void **state)
{
	(void)state;
	check_bound("90 90 90 90 90", BOUND_ISSUE, 1250);
	/* load and operation are one slot; so are address and data of a store */
	check_bound("48 03 07", BOUND_ISSUE, 250);
	check_bound("48 01 07", BOUND_ISSUE, 500);
	check_bound("48 89 07", BOUND_ISSUE, 250);
}

/* imul has port 1; four additions share 0, 1, 5 and 6 with it: 5 / 4 above 1 / 1 and 4 / 4. */
static void ports(void **state)
{
	(void)state;
	check_bound("48 0f af c3 48 0f af d3", BOUND_PORTS, 2000);
	check_bound("48 0f af c3 48 01 d9 48 01 da 48 01 de 48 01 df", BOUND_PORTS, 1250);
	assert_int_equal(__builtin_popcountll(result.limiting_ports), 4);
	/* Two stores and two loads: data 2 / 1, addresses and loads 4 / 3. */
	check_bound("48 89 07 48 89 06 4c 8b 07 4c 8b 0e", BOUND_PORTS, 2000);
	check_bound("48 f7 f1", BOUND_PORTS, 20000);
	assert_string_equal(pipeline_port_name(pipeline, (size_t)__builtin_ctzll(result.limiting_ports)), "div");
}

/* None of the additions' 4 cycles goes to port 1, because imul fills 1 of its 1.25. */
static void pressure(void **state)
{
	uint32_t all[PIPELINE_MAX_PORTS] = {0};

	(void)state;
	estimate("48 0f af c3 48 01 d9 48 01 da 48 01 de 48 01 df");
	for (size_t i = 0; i < result.n_insns; i++)
		for (size_t port = 0; port < PIPELINE_MAX_PORTS; port++)
			all[port] += result.insns[i].port_mcyc[port];
	for (size_t port = 0; port < pipeline_n_ports(pipeline); port++)
		if (strcmp(pipeline_port_name(pipeline, port), "p1") == 0 ||
		    strcmp(pipeline_port_name(pipeline, port), "p6") == 0)
			assert_in_range(all[port], 1249, 1251);
}

static void latency(void **state)
{
	(void)state;
	check_bound("48 01 d8", BOUND_LATENCY, 1000);
	check_bound("48 0f af c3", BOUND_LATENCY, 3000);
	check_bound("48 89 d8", BOUND_LATENCY, 0);
	/* rax -> rbx by a renamed move, and back by imul */
	check_bound("48 89 c3 48 0f af c3", BOUND_LATENCY, 3000);
	assert_true(result.insns[1].is_critical);
	/* cut by zeroing */
	check_bound("31 c0 48 0f af c3", BOUND_LATENCY, 0);
	/* a partial register is merged */
	check_bound("88 d8", BOUND_LATENCY, 1000);
	/* loads: chased with a small displacement, and with a large one */
	check_bound("48 8b 00", BOUND_LATENCY, 4000);
	check_bound("48 8b 80 00 10 00 00", BOUND_LATENCY, 5000);
	/* the base comes from an addition */
	check_bound("48 8b 00 48 01 d8", BOUND_LATENCY, 6000);
	assert_int_equal(result.bottleneck, BOUND_LATENCY);
}

static void memory(void **state)
{
	(void)state;
	/* store to load 4, and the addition 1 */
	check_bound("48 01 07", BOUND_LATENCY, 5000);
	check_bound("48 89 07 48 8b 07", BOUND_LATENCY, 4000);
	check_bound("48 89 07 48 8b 47 08", BOUND_LATENCY, 0);
	check_bound("48 89 07 48 8b 06", BOUND_LATENCY, 0);
	/* rax = [rdi]; [rdi + 16] = rax; rdi += 8: read again two iterations later */
	check_bound("48 8b 07 48 89 47 10 48 83 c7 08", BOUND_LATENCY, 2000);
	/* a byte of the eight */
	check_bound("88 07 48 8b 07", BOUND_LATENCY, 15000);
	/* the stack, by its pointer and by PUSH */
	check_bound("50 48 8b 04 24 59", BOUND_LATENCY, 4000);
	estimate_as("48 89 07 48 8b 06", PIPELINE_UNROLLED, POINTERS_SAME);
	assert_int_equal(result.bounds_mcyc[BOUND_LATENCY], 4000);
	/* In rax += [rax] with equal memory everywhere, each load accesses another page: 5 + 9 + 1. */
	estimate_as("48 63 14 90 48 01 d0", PIPELINE_UNROLLED, POINTERS_SAME);
	assert_int_equal(result.bounds_mcyc[BOUND_LATENCY], 15000);
}

/* The stack engine moves RSP for free. The addition waits for a micro-operation that updates RSP: 2 cycles, 2 slots. */
static void stack_engine(void **state)
{
	(void)state;
	check_bound("50 51", BOUND_LATENCY, 0);
	check_bound("50 48 83 c4 08", BOUND_LATENCY, 2000);
	assert_int_equal(result.insns[1].issue_slots, 2);
	check_bound("50 58", BOUND_ISSUE, 500);
}

static void macro_fusion(void **state)
{
	(void)state;
	estimate_as("48 39 c3 75 fb", PIPELINE_LOOP, POINTERS_DISTINCT);
	assert_int_equal(result.issue_slots, 1);
	assert_true(result.insns[1].is_fused);
	/* a comparison does not fuse with JS */
	estimate_as("48 39 c3 78 fb", PIPELINE_LOOP, POINTERS_DISTINCT);
	assert_int_equal(result.issue_slots, 2);
}

static void loops(void **state)
{
	(void)state;
	/* 7 in a window of 32 bytes, 6 a cycle; the next iteration starts in a new cycle */
	estimate_as("90 90 90 90 90 90 90", PIPELINE_LOOP, POINTERS_DISTINCT);
	assert_int_equal(result.bounds_mcyc[BOUND_OP_CACHE], 2000);
	assert_int_equal(result.bounds_mcyc[BOUND_PREDECODE], -1);
	assert_int_equal(result.bounds_mcyc[BOUND_LOOP_BUFFER], -1);
	/* one taken jump a cycle */
	estimate_as("90", PIPELINE_LOOP, POINTERS_DISTINCT);
	assert_int_equal(result.cycles_mcyc, 1000);
	/* 19 in one window are more than three lines of 6 */
	estimate_as("90 90 90 90 90 90 90 90 90 90 90 90 90 90 90 90 90 90 90", PIPELINE_LOOP, POINTERS_DISTINCT);
	assert_int_equal(result.bounds_mcyc[BOUND_OP_CACHE], -1);
	assert_int_equal(result.bounds_mcyc[BOUND_DECODE], 5000);
}

static int set_up_loop_buffer(void **state)
{
	(void)state;
	return load_toy("loop_buffer = 20\nunlamination = indexed\n");
}

/* Each pass fills 5 of 8 slots. Half the buffer holds two copies, 10 in 3 cycles. */
static void loop_buffer(void **state)
{
	(void)state;
	estimate_as("90 90 90 90 90", PIPELINE_LOOP, POINTERS_DISTINCT);
	assert_int_equal(result.bounds_mcyc[BOUND_LOOP_BUFFER], 1500);
	assert_int_equal(result.bounds_mcyc[BOUND_OP_CACHE], -1);
	/* an index unlaminates load and addition */
	check_bound("48 03 04 0f", BOUND_ISSUE, 500);
	check_bound("48 03 07", BOUND_ISSUE, 250);
}

static int set_up_renaming(void **state)
{
	(void)state;
	return load_toy("memory_renaming = base\nmove_fusion = 1\npaired_alu_percent = 150\n");
}

static void memory_renaming(void **state)
{
	(void)state;
	check_bound("48 01 07", BOUND_LATENCY, 1000);
	/* not with an index, nor after a write to the base */
	check_bound("48 01 04 0f", BOUND_LATENCY, 5000);
	check_bound("48 01 07 48 83 c7 00", BOUND_LATENCY, 5000);
	/* mov rdx, rbx and add rdx, rcx are one */
	check_bound("48 89 da 48 01 ca", BOUND_ISSUE, 250);
	check_bound("48 89 da 48 01 c8", BOUND_ISSUE, 500);
}

static int set_up_zen(void **state)
{
	(void)state;
	return load_toy("memory_renaming = index\nop_cache_fetch_bytes = 8\nscaled_index_cycles = 1\n"
			"fused_jump_ports = p0156\n");
}

static void renaming_with_index(void **state)
{
	(void)state;
	check_bound("48 01 07", BOUND_LATENCY, 1000);
	check_bound("48 01 04 0f", BOUND_LATENCY, 1000);
	/* not for a byte, nor if the load uses another index */
	check_bound("88 07 8a 07", BOUND_LATENCY, 4000);
	check_bound("48 89 04 0f 48 8b 07", BOUND_LATENCY, 0);
	/* rax = [rbx + rax * 1] and [rbx + rax * 8] */
	check_bound("48 8b 04 03", BOUND_LATENCY, 5000);
	check_bound("48 8b 04 c3", BOUND_LATENCY, 6000);
}

/* Three blocks of 8 bytes: three cycles. In one of them the last instruction only begins. */
static void fetched_blocks(void **state)
{
	(void)state;
	estimate_as("48 01 c8 48 01 d9 48 01 da 48 01 de 48 01 df 48 01 e8", PIPELINE_LOOP, POINTERS_DISTINCT);
	assert_int_equal(result.bounds_mcyc[BOUND_OP_CACHE], 3000);
	assert_int_equal(result.simulated_mcyc, 3000);
	/* the last block has only the end of a jump, which is fused */
	estimate_as("90 48 01 c8 48 39 c3 75 f7", PIPELINE_LOOP, POINTERS_DISTINCT);
	assert_int_equal(result.bounds_mcyc[BOUND_OP_CACHE], 2000);
	assert_int_equal(result.simulated_mcyc, 2000);
	/* the pair uses one of four ports, not only one of the jump's two */
	estimate_as("48 39 c3 75 fb", PIPELINE_LOOP, POINTERS_DISTINCT);
	assert_int_equal(result.bounds_mcyc[BOUND_PORTS], 250);
}

/* add rbx, rcx and add rdx, rbx, which uses its result: 1.5 cycles of 4 ports each. */
static void paired_operations(void **state)
{
	(void)state;
	check_bound("48 01 cb 48 01 da", BOUND_PORTS, 750);
	check_bound("48 01 cb 48 01 ca", BOUND_PORTS, 500);
}

/* The latency from the second operand is longer than from the first and from the carry. */
static void latencies_by_operand(void **state)
{
	(void)state;
	check_bound("48 11 d8", BOUND_LATENCY, 1000);	       /* adc rax, rbx: through rax, and the carry */
	check_bound("48 11 d8 48 89 c3", BOUND_LATENCY, 2000); /* and through rbx */
	check_bound("c4 e2 f1 f7 c0", BOUND_LATENCY, 1000);    /* shlx rax, rax, rcx */
	check_bound("c4 e2 f9 f7 c1", BOUND_LATENCY, 4000);    /* shlx rax, rcx, rax */
}

/* An unknown form is never zero cycles and is always reported. */
static void unknown_forms(void **state)
{
	(void)state;
	estimate("0f a2"); /* cpuid */
	assert_int_equal(result.n_unknown, 1);
	assert_int_equal(result.insns[0].match, COST_UNKNOWN);
	assert_int_equal(result.bounds_mcyc[BOUND_PORTS], 250);
	assert_int_equal(result.bounds_mcyc[BOUND_ISSUE], 250);
	estimate("48 83 c0 01");
	assert_int_equal(result.n_unknown, 0);
	assert_int_equal(result.n_fallback, 0);
	estimate("83 c0 01"); /* ADD r32, imm8 has no row */
	assert_int_equal(result.n_fallback, 1);
}

static void bad_blocks(void **state)
{
	static const uint8_t cut[] = {0x90, 0x48, 0x01};
	struct pipeline_options options = {.mode = PIPELINE_UNROLLED};
	struct error err = {0};

	(void)state;
	assert_false(pipeline_estimate(pipeline, cut, sizeof(cut), &options, &result, &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_string_equal(err.text, "byte 1 of the block does not begin a complete instruction");
	assert_false(pipeline_estimate(pipeline, cut, 0, &options, &result, &err));
}

static void check_no_pipeline(const char *model_text, const char *rules, const char *message)
{
	struct error err = {0};
	struct model *bad = load_text(model_text);

	write_file("bad.rules", rules);
	assert_null(pipeline_create(bad, &err));
	assert_non_null(strstr(err.text, message));
	model_destroy(bad);
}

static void bad_machines(void **state)
{
	static const char with_rules[] = HEADER "[parameters]\npipeline_rules = bad.rules\n" ROWS;

	(void)state;
	check_no_pipeline(HEADER ROWS, "", "model toy has no rules for the pipeline");
	check_no_pipeline(with_rules, "no\n", "the first line must be");
	check_no_pipeline(with_rules, "itrace-pipeline-rules 1\nNOP | * | nop\n", "a rule has four cells");
	check_no_pipeline(with_rules, "itrace-pipeline-rules 1\nNOP | * | latency=x | y\n",
			  "'latency=x' are not valid");
	check_no_pipeline(with_rules, "itrace-pipeline-rules 1\n", "needs the parameter 'issue_width'");
}

/* A child has its parent's parameters, rows and rules, and its own override them: issue_width 2 of 4, imul 4 of 3. */
static void heirs(void **state)
{
	struct error err = {0};

	(void)state;
	set_up(NULL);
	tear_down(NULL);
	write_file("heir.cost", "itrace-cost-model 1\nname = heir\ninherit = toy\n[parameters]\nissue_width = 2\n"
				"[forms]\nIMUL r64, r64 | 4 | 2 | 1 | p1:2\n");
	model = load_file("heir.cost", &err);
	if (!model)
		fail_msg("%s", err.text);
	pipeline = pipeline_create(model, &err);
	if (!pipeline)
		fail_msg("%s", err.text);
	check_bound("90 90 90 90", BOUND_ISSUE, 2000);
	check_bound("48 0f af c3", BOUND_LATENCY, 4000);
	check_bound("48 89 c3 48 0f af c3", BOUND_LATENCY, 4000); /* the move is eliminated */
	tear_down(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(predecode, set_up, tear_down),
		cmocka_unit_test_setup_teardown(decode, set_up, tear_down),
		cmocka_unit_test_setup_teardown(issue, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ports, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pressure, set_up, tear_down),
		cmocka_unit_test_setup_teardown(latency, set_up, tear_down),
		cmocka_unit_test_setup_teardown(memory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stack_engine, set_up, tear_down),
		cmocka_unit_test_setup_teardown(macro_fusion, set_up, tear_down),
		cmocka_unit_test_setup_teardown(loops, set_up, tear_down),
		cmocka_unit_test_setup_teardown(loop_buffer, set_up_loop_buffer, tear_down),
		cmocka_unit_test_setup_teardown(memory_renaming, set_up_renaming, tear_down),
		cmocka_unit_test_setup_teardown(renaming_with_index, set_up_zen, tear_down),
		cmocka_unit_test_setup_teardown(fetched_blocks, set_up_zen, tear_down),
		cmocka_unit_test_setup_teardown(paired_operations, set_up_renaming, tear_down),
		cmocka_unit_test_setup_teardown(latencies_by_operand, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unknown_forms, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bad_blocks, set_up, tear_down),
		cmocka_unit_test(bad_machines),
		cmocka_unit_test(heirs),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
