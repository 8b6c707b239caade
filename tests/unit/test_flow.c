#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/flow.h"

/* 0: jmp 2; 2: nop; 3: jnz 2; 5: call 11; 10: ret; 11: nop; 12: ret: a loop, and a call of 11. */
static const struct {
	uint64_t va;
	const char *bytes;
	uint8_t length;
	uint32_t function;
} code[] = {
	{0, "\xeb\x00", 2, 0}, {2, "\x90", 1, 0},  {3, "\x75\xfd", 2, 0}, {5, "\xe8\x01\x00\x00\x00", 5, 0},
	{10, "\xc3", 1, 0},    {11, "\x90", 1, 1}, {12, "\xc3", 1, 1},
};
#define N_CODE (sizeof(code) / sizeof(code[0]))

static void make_insns(struct profile_insn *insns, uint32_t *places)
{
	memset(insns, 0, N_CODE * sizeof(*insns));
	for (uint32_t i = 0; i < N_CODE; i++) {
		insns[i].va = code[i].va;
		insns[i].length = code[i].length;
		insns[i].function = code[i].function;
		memcpy(insns[i].bytes, code[i].bytes, code[i].length);
		places[i] = i;
	}
}

/* Known must be: that 0 ran once, and the 100 rounds of the loop. All else follows. */
static void a_loop_and_a_call(void **state)
{
	struct profile_insn insns[N_CODE];
	uint32_t places[N_CODE];
	struct flow flow;

	(void)state;
	make_insns(insns, places);
	flow_init(&flow, insns, places, N_CODE);
	assert_int_equal(flow.places[0].target, 1);
	assert_int_equal(flow.places[2].target, 1);
	assert_int_equal(flow.places[1].n_jumps_earlier, 1);
	assert_int_equal(flow.places[1].n_jumps_later, 1);
	assert_int_equal(flow.places[5].n_calls_earlier, 1);
	assert_int_equal(flow_predict_executions(&flow, 0), 0);
	flow_set_executions(&flow, 0, 1);
	flow_add_edge(&flow, 0, 1, 1);
	assert_int_equal(flow_predict_executions(&flow, 1), 1);
	flow_set_executions(&flow, 1, 100);
	assert_int_equal(flow_predict_executions(&flow, 2), 100);
	flow_set_executions(&flow, 2, 100);
	assert_int_equal(flow_need(&flow, 1), 99);
	flow_add_edge(&flow, 2, 1, 99);
	assert_int_equal(flow_need(&flow, 1), 0);
	assert_int_equal(flow_predict_executions(&flow, 3), 1);
	flow_set_executions(&flow, 3, 1);
	flow_add_edge(&flow, 3, 5, 1);
	/* The call returns, though nothing is known yet of how. */
	assert_int_equal(flow_predict_executions(&flow, 4), 1);
	flow_set_executions(&flow, 4, 1);
	assert_int_equal(flow_need(&flow, 4), 1);
	assert_int_equal(flow_predict_executions(&flow, 5), 1);
	flow_set_executions(&flow, 5, 1);
	assert_false(flow_runs_on(&flow, 5));
	assert_true(flow_runs_on(&flow, 6));
	flow_set_executions(&flow, 6, 1);
	/* Only how control came to 0 is not told; 4 is where the call returns to. */
	flow_find_wanting(&flow);
	assert_int_equal(flow.n_wanting, 1);
	assert_int_equal(flow.wanting[0], 0);
	flow_find_returns(&flow, insns, places, &(struct flow_edge){3, 5, 1}, 1);
	assert_int_equal(flow.n_returns, 1);
	assert_int_equal(flow.returns[0].function, 1);
	assert_int_equal(flow.returns[0].place, 4);
	flow_deinit(&flow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_and_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
