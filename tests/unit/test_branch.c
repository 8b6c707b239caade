/* Branches whose mispredictions follow without a predictor. */
#include "costmodels/predictors/branch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define VA UINT64_C(0x401000)
#define END (VA + 2)

static uint32_t next_random(uint32_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 17;
	*random ^= *random << 5;
	return *random;
}

static bool meet_branch(struct branch_predictor *predictor, uint64_t va, bool taken)
{
	return branch_predictor_update(predictor, FLOW_BRANCH, va, va + 2, taken ? va + 100 : va + 2);
}

/* Misses in the second half of n outcomes of a pattern. */
static unsigned misses_of(bool (*outcome)(unsigned i), unsigned n)
{
	struct branch_predictor *predictor = branch_predictor_create();
	unsigned n_misses = 0;

	for (unsigned i = 0; i < n; i++) {
		bool missed = meet_branch(predictor, VA, outcome(i));

		n_misses += i >= n / 2 && missed;
	}
	branch_predictor_destroy(predictor);
	return n_misses;
}

static bool always(unsigned i)
{
	(void)i;
	return true;
}

static bool every_third(unsigned i)
{
	return i % 3 == 0;
}

/* Longer than any history, so that only a loop counter predicts the exit. */
static bool loop_of_400(unsigned i)
{
	return i % 400 != 399;
}

static bool pattern_of_13(unsigned i)
{
	return (0x0d3bu >> i % 13) & 1;
}

static void regular_branches_are_predicted(void **state)
{
	(void)state;
	assert_int_equal(misses_of(always, 1000), 0);
	assert_int_equal(misses_of(every_third, 2000), 0);
	assert_int_equal(misses_of(pattern_of_13, 4000), 0);
	assert_int_equal(misses_of(loop_of_400, 40000), 0);
}

static void a_coin_is_not(void **state)
{
	struct branch_predictor *predictor = branch_predictor_create();
	uint32_t random = 2463534242;
	unsigned n_misses = 0;

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		n_misses += meet_branch(predictor, VA, next_random(&random) >> 31);
	branch_predictor_destroy(predictor);
	assert_in_range(n_misses, 48000, 52000);
}

/* The second branch repeats the outcome of the first. */
static void correlated_branches_are_predicted(void **state)
{
	struct branch_predictor *predictor = branch_predictor_create();
	uint32_t random = 2463534242;
	unsigned n_misses = 0;

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		bool taken = next_random(&random) >> 31, missed;

		meet_branch(predictor, VA, taken);
		missed = meet_branch(predictor, VA + 16, taken);
		n_misses += i >= 5000 && missed;
	}
	branch_predictor_destroy(predictor);
	assert_in_range(n_misses, 0, 250); /* a coin: 2500 */
}

static void returns_go_to_their_calls(void **state)
{
	struct branch_predictor *predictor = branch_predictor_create();

	(void)state;
	for (unsigned depth = 0; depth < BRANCH_STACK; depth++)
		branch_predictor_update(predictor, FLOW_CALL, VA + depth * 16, VA + depth * 16 + 5, 0x500000);
	for (unsigned depth = BRANCH_STACK; depth-- > 0;)
		assert_false(branch_predictor_update(predictor, FLOW_RETURN, 0x500000, 0x500001, VA + depth * 16 + 5));
	branch_predictor_update(predictor, FLOW_CALL, VA, VA + 5, 0x500000);
	assert_true(branch_predictor_update(predictor, FLOW_RETURN, 0x500000, 0x500001, VA + 6));
	branch_predictor_destroy(predictor);
}

/* Targets in turn: after some rounds the history distinguishes them. Then a new target. */
static void indirect_jumps_follow_history(void **state)
{
	struct branch_predictor *predictor = branch_predictor_create();
	unsigned n_misses = 0;

	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		bool missed = branch_predictor_update(predictor, FLOW_JUMP_INDIRECT, VA, END, 0x600000 + i % 5 * 16);

		n_misses += i >= 2000 && missed;
	}
	assert_int_equal(n_misses, 0);
	assert_true(branch_predictor_update(predictor, FLOW_JUMP_INDIRECT, VA, END, 0x700000));
	branch_predictor_destroy(predictor);
}

static void other_instructions_are_nothing_to_predict(void **state)
{
	struct branch_predictor *predictor = branch_predictor_create();

	(void)state;
	assert_false(branch_predictor_update(predictor, FLOW_NEXT, VA, END, END));
	assert_false(branch_predictor_update(predictor, FLOW_JUMP, VA, END, 0x600000));
	assert_false(branch_predictor_update(predictor, FLOW_SYSCALL, VA, END, END));
	branch_predictor_destroy(predictor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regular_branches_are_predicted),
		cmocka_unit_test(a_coin_is_not),
		cmocka_unit_test(correlated_branches_are_predicted),
		cmocka_unit_test(returns_go_to_their_calls),
		cmocka_unit_test(indirect_jumps_follow_history),
		cmocka_unit_test(other_instructions_are_nothing_to_predict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
