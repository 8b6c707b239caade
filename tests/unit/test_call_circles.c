/* Sets of functions in circles of calls, from contexts made by hand: main calls functions 1 to N_CALLED, each of which calls main. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"
#include "profile/call_circles.h"

enum { N_CALLED = 17 };

struct fixture {
	struct profile_context contexts[1 + 2 * N_CALLED];
	uint32_t functions[1 + 2 * N_CALLED];
	struct call_circles circles;
};

static int setup(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	fixture->contexts[0] = (struct profile_context){.parent = PROFILE_NONE, .recursion_of = PROFILE_NONE};
	for (uint32_t i = 1; i <= N_CALLED; i++) {
		fixture->contexts[i] = (struct profile_context){.parent = 0, .recursion_of = PROFILE_NONE};
		fixture->contexts[N_CALLED + i] = (struct profile_context){.parent = i, .recursion_of = 0};
		fixture->functions[i] = i;
	}
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	call_circles_deinit(&fixture->circles);
	free(fixture);
	return 0;
}

static uint32_t enter(struct fixture *fixture, uint32_t set, uint32_t context)
{
	return call_circles_enter(&fixture->circles, fixture->contexts, fixture->functions, set, context);
}

/* By way of a function to main again. */
static uint32_t go_round(struct fixture *fixture, uint32_t set, uint32_t function)
{
	return enter(fixture, enter(fixture, set, function), N_CALLED + function);
}

static void check_set(const struct fixture *fixture, uint32_t set, const uint32_t *members, size_t n_members)
{
	const struct call_set *found = &fixture->circles.sets[set];

	assert_int_equal(found->n_members, n_members);
	assert_memory_equal(fixture->circles.members + found->first, members, n_members * sizeof(*members));
}

static void sets_grow_and_shrink(void **state)
{
	struct fixture *fixture = *state;
	uint32_t one, two;

	assert_int_equal(enter(fixture, CALL_SET_EMPTY, 3), CALL_SET_EMPTY);
	one = go_round(fixture, CALL_SET_EMPTY, 3);
	check_set(fixture, one, (const uint32_t[]){3}, 1);
	two = go_round(fixture, one, 2);
	check_set(fixture, two, (const uint32_t[]){2, 3}, 2);
	/* On the way to main it is in the tree. */
	assert_int_equal(enter(fixture, two, 2), one);
	assert_int_equal(go_round(fixture, two, 2), two);
	assert_int_equal(go_round(fixture, go_round(fixture, CALL_SET_EMPTY, 2), 3), two);
}

static void too_many_sets_count_for_nothing(void **state)
{
	struct fixture *fixture = *state;
	uint32_t *sets = xcalloc(CALL_SETS_MAX, sizeof(*sets)); /* by members, as bits */

	for (uint32_t bits = 1; bits < CALL_SETS_MAX; bits++) {
		sets[bits] = go_round(fixture, sets[bits & (bits - 1)], (uint32_t)__builtin_ctz(bits) + 1);
		assert_int_equal(fixture->circles.sets[sets[bits]].n_members, __builtin_popcount(bits));
	}
	assert_int_equal(fixture->circles.n_sets, CALL_SETS_MAX);
	assert_false(fixture->circles.is_full);
	assert_int_equal(go_round(fixture, sets[CALL_SETS_MAX - 1], N_CALLED), CALL_SET_EMPTY);
	assert_true(fixture->circles.is_full);
	assert_int_equal(go_round(fixture, CALL_SET_EMPTY, 3), sets[1 << 2]);
	free(sets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sets_grow_and_shrink, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_sets_count_for_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
