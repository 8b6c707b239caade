#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/flow.h"

/* 0 jumps to 2 once; 2 and 3 are a loop of 100 rounds; 4 follows it. Known must be: that 0 ran once, and 99 at the head of
 * the loop. All else follows. */
static void a_loop_is_told_by_its_head(void **state)
{
	struct flow flow;

	(void)state;
	flow_init(&flow, 4);
	assert_int_equal(flow_predict_executions(&flow, 0, false), 0);
	flow_set_executions(&flow, 0, false, 1);
	assert_int_equal(flow_predict_edge(&flow, 0, 1), 1);
	flow_add_edge(&flow, 0, 1, 1);
	assert_int_equal(flow_predict_executions(&flow, 1, false), 1);
	flow_set_executions(&flow, 1, false, 100);
	assert_int_equal(flow_predict_executions(&flow, 2, true), 100);
	flow_set_executions(&flow, 2, true, 100);
	assert_int_equal(flow_predict_edge(&flow, 2, 1), 99);
	flow_add_edge(&flow, 2, 1, 99);
	assert_int_equal(flow_predict_executions(&flow, 3, true), 1);
	flow_deinit(&flow);
}

static void an_instruction_that_repeats_itself(void **state)
{
	struct flow flow;

	(void)state;
	flow_init(&flow, 2);
	flow_set_executions(&flow, 0, false, 1);
	assert_int_equal(flow_predict_executions(&flow, 1, true), 1);
	flow_set_executions(&flow, 1, true, 10);
	assert_int_equal(flow_predict_edge(&flow, 1, 1), 9);
	flow_add_edge(&flow, 1, 1, 9);
	/* A second way back can only be what is left. */
	assert_int_equal(flow_predict_edge(&flow, 1, 0), 1);
	flow_deinit(&flow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_is_told_by_its_head),
		cmocka_unit_test(an_instruction_that_repeats_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
