/* Executions on the toy CPU, cycle by cycle. */
#include "pipeline_fixture.h"

#include "costmodels/estimators/pipeline/simulation/simulator.h"
#include "hex.h"

#define VA 0x400000

static struct simulator *simulator;

static int set_up_with(const char *more)
{
	load_toy(more);
	simulator = simulator_create(pipeline);
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	return set_up_with("mispredict_cycles = 10\nrob = 32\n");
}

static int set_up_small(void **state)
{
	(void)state;
	return set_up_with("rob = 8\nretire_width = 2\n");
}

static int set_up_scheduler(void **state)
{
	(void)state;
	return set_up_with("rob = 200\nscheduler = 4\n");
}

static int set_up_at_issue(void **state)
{
	(void)state;
	return set_up_with("rob = 200\nport_choice = at_issue\n");
}

static int tear_down(void **state)
{
	simulator_destroy(simulator);
	return destroy_toy(state);
}

static uint32_t add(const char *hex, uint64_t va)
{
	struct error err = {0};
	uint8_t bytes[256];
	size_t n = hex_parse(hex, bytes, sizeof(bytes));
	uint32_t block = 0;

	if (!simulator_add_block(simulator, bytes, n, va, &block, &err))
		fail_msg("%s", err.text);
	return block;
}

/* Cycles of `n` executions after as many for warm-up. */
static uint64_t run(uint32_t block, const struct simulator_execution *execution, unsigned n)
{
	uint64_t begin;

	for (unsigned i = 0; i < n; i++)
		simulator_execute(simulator, block, execution);
	begin = simulator_cycles(simulator);
	for (unsigned i = 0; i < n; i++)
		simulator_execute(simulator, block, execution);
	return simulator_cycles(simulator) - begin;
}

static void check(const char *hex, unsigned n, uint64_t cycles)
{
	assert_int_equal(run(add(hex, VA), NULL, n), cycles);
}

static void dependences(void **state)
{
	(void)state;
	check("48 01 d8", 100, 100); /* one cycle each */
	check("48 0f af c3", 100, 300);
	check("31 c0 48 0f af c3", 100, 100); /* cut by zeroing: the multiplier's port */
	check("48 8b 00", 100, 400);	      /* chased */
	check("48 8b 00 48 01 d8", 100, 600); /* 5 and 1 */
}

/* Each block jumps to itself: 8 are delivered in 2 cycles, as 6 and 2, and issued in 2. */
static void widths(void **state)
{
	(void)state;
	check("90 90 90 90 90 90 90 90", 100, 200);
	check("90", 100, 100);
}

/* A group of 4 is issued when 4 of 8 entries are free. Of 4 loads of 104 cycles that retire in pairs, the second pair
 * retires in cycle T + 1; the group is issued in T + 2; its loads start in T + 3, have their values in T + 107, and
 * retire from T + 108 on. */
static void window(void **state)
{
	struct simulator_execution execution = {.load_cycles = (const uint32_t[]){99, 99, 99, 99, 99, 99, 99, 99}};
	uint32_t block = add("48 8b 07 48 8b 07 48 8b 07 48 8b 07 48 8b 07 48 8b 07 48 8b 07 48 8b 07", VA);

	(void)state;
	assert_int_equal(run(block, &execution, 10), 10 * 108);
	check("90 90 90 90 90 90 90 90", 100, 400); /* retires two a cycle */
}

/* A group of 4 needs 4 free entries, which is all of them: it waits until the additions have started, which wait for
 * a load of 104 cycles, so that no loads overlap. With 200 entries, the ROB limits the loads in flight: 6 slots in
 * each iteration, so 33 iterations share the 104 cycles. */
static void scheduler(void **state)
{
	struct simulator_execution execution = {.load_cycles = (const uint32_t[]){99}};
	const char *hex = "48 8b 07 48 01 c3 48 01 c3 48 01 c3 48 01 c3 31 db";
	uint32_t block = add(hex, VA);
	uint64_t cycles = run(block, &execution, 10);

	(void)state;
	assert_in_range(cycles, 10 * 104, 10 * 110);
	simulator_destroy(simulator);
	pipeline_destroy(pipeline);
	model_destroy(model);
	set_up_with("rob = 200\nscheduler = 200\n");
	assert_in_range(run(add(hex, VA), &execution, 330), 10 * 104, 10 * 115);
}

static void forwarding(void **state)
{
	static const uint64_t same[] = {0x1000, 0x1000}, apart[] = {0x1000, 0x1008}, within[] = {0x1003, 0x1000};
	struct simulator_execution execution = {.addresses = same};
	uint32_t block = add("48 89 07 48 8b 07", VA), narrow = add("88 07 48 8b 07", VA);

	(void)state;
	assert_int_equal(run(block, &execution, 100), 400);
	execution.addresses = apart;
	assert_int_equal(run(block, &execution, 100), 100); /* the port of the store's data */
	execution.addresses = NULL;
	assert_int_equal(run(block, &execution, 100), 100);
	/* one byte of the eight loaded */
	execution.addresses = within;
	assert_int_equal(run(narrow, &execution, 100), 1500);
}

static mcyc_t charged(uint32_t block, enum stall_cause wait)
{
	mcyc_t sum = 0;

	for (size_t i = 0; i < simulator_n_insns(simulator, block); i++)
		sum += simulator_charges(simulator, block)[i].stalls_mcyc[wait];
	return sum;
}

static void cache_misses(void **state)
{
	struct simulator_execution execution = {.load_cycles = (const uint32_t[]){100}};
	uint32_t block = add("48 8b 00", VA);

	(void)state;
	assert_int_equal(run(block, &execution, 10), 10 * 104);
	assert_in_range(charged(block, STALL_MEMORY), 19 * 104000, 20 * 104000 + 10000);
}

/* The comparison is delivered and issued in one cycle and starts in the next. The right path comes 10 cycles later. */
static void mispredictions(void **state)
{
	struct simulator_execution execution = {.is_mispredicted = true};
	uint32_t block = add("48 39 c3 75 fb", VA);

	(void)state;
	assert_int_equal(run(block, &execution, 10), 10 * 11);
	assert_in_range(simulator_charges(simulator, block)[1].stalls_mcyc[STALL_MISPREDICT], 18 * 10000, 20 * 11000);
	execution.is_mispredicted = false;
	assert_int_equal(run(block, &execution, 10), 10);
	execution.fetch_cycles = 7;
	assert_in_range(run(block, &execution, 10), 10 * 7, 10 * 8);
}

/* Two consecutive blocks are delivered in one cycle, 6 micro-operations; after a jump, in two. */
static void jumps(void **state)
{
	uint32_t first = add("90 90", VA), second = add("90 90", VA + 2), elsewhere = add("90 90", VA + 100);
	uint64_t begin;

	(void)state;
	simulator_execute(simulator, elsewhere, NULL);
	begin = simulator_cycles(simulator);
	for (int i = 0; i < 100; i++) {
		simulator_execute(simulator, first, NULL);
		simulator_execute(simulator, second, NULL);
	}
	assert_int_equal(simulator_cycles(simulator) - begin, 100);
	begin = simulator_cycles(simulator);
	for (int i = 0; i < 100; i++) {
		simulator_execute(simulator, first, NULL);
		simulator_execute(simulator, elsewhere, NULL);
	}
	assert_int_equal(simulator_cycles(simulator) - begin, 200);
}

/* After PUSH, an explicit use of RSP takes one more micro-operation, wherever PUSH was. */
static void stack(void **state)
{
	uint32_t push = add("50", VA), use = add("48 83 c4 08", VA + 1);
	uint64_t begin;

	(void)state;
	simulator_execute(simulator, use, NULL);
	begin = simulator_cycles(simulator);
	for (int i = 0; i < 100; i++) {
		simulator_execute(simulator, push, NULL);
		simulator_execute(simulator, use, NULL);
	}
	assert_int_equal(simulator_cycles(simulator) - begin, 200);
}

/* The charges add up to the total time. */
static void charges(void **state)
{
	uint32_t mixed = add("48 8b 07 48 01 d8 48 0f af c3 48 89 07 50 48 83 c4 08 48 39 c3 75 fb", VA);
	struct simulator_execution execution = {
		.addresses = (const uint64_t[]){0x1000, 0x1000, 0x2000},
		.load_cycles = (const uint32_t[]){7, 0, 0},
	};
	mcyc_t sum = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		execution.is_mispredicted = i % 7 == 0;
		simulator_execute(simulator, mixed, &execution);
	}
	for (int wait = 0; wait < N_STALLS; wait++)
		sum += charged(mixed, (enum stall_cause)wait);
	/* but the last group's */
	assert_in_range(sum, (simulator_cycles(simulator) - 20) * 1000, simulator_cycles(simulator) * 1000);
}

/* Work in flight does not delay later work. */
static void drained(void **state)
{
	struct simulator_execution execution = {.load_cycles = (const uint32_t[]){1000}};
	uint64_t begin;

	(void)state;
	simulator_execute(simulator, add("48 8b 00", VA), &execution);
	simulator_drain(simulator);
	begin = simulator_cycles(simulator);
	simulator_execute(simulator, add("48 01 d8", VA), NULL);
	assert_in_range(simulator_cycles(simulator) - begin, 1, 5);
}

/* imul, which needs port 1, and three additions for any port. Ports are chosen at issue without a wait: 4 a cycle. */
static void ports_at_issue(void **state)
{
	(void)state;
	assert_in_range(run(add("31 c0 48 0f af c3 48 01 d9 48 01 da 48 01 de", VA), NULL, 100), 125, 150);
}

static void bad_block(void **state)
{
	static const uint8_t cut[] = {0x90, 0x48, 0x01};
	struct error err = {0};
	uint32_t block = 99;

	(void)state;
	assert_false(simulator_add_block(simulator, cut, sizeof(cut), VA, &block, &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_int_equal(block, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(dependences, set_up, tear_down),
		cmocka_unit_test_setup_teardown(widths, set_up, tear_down),
		cmocka_unit_test_setup_teardown(window, set_up_small, tear_down),
		cmocka_unit_test_setup_teardown(scheduler, set_up_scheduler, tear_down),
		cmocka_unit_test_setup_teardown(forwarding, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cache_misses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(mispredictions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(jumps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stack, set_up, tear_down),
		cmocka_unit_test_setup_teardown(charges, set_up, tear_down),
		cmocka_unit_test_setup_teardown(drained, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ports_at_issue, set_up_at_issue, tear_down),
		cmocka_unit_test_setup_teardown(bad_block, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
