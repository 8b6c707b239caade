/* Visits: the effect of markers, frames and recursion on begins and ends. Stack pointers grow downwards: a smaller
 * one is a deeper frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "regions/visits.h"

enum { OUTER = 1, INNER = 2 };

static enum visit_change begin(struct visits *visits, uint32_t region, uint64_t rsp, uint64_t now_ns)
{
	uint64_t former_ns;

	return visits_begin(visits, region, VISIT_ENDS_AT_MARKER, (struct visit_begin){rsp, 0}, now_ns, &former_ns);
}

static enum visit_change end(struct visits *visits, uint32_t region, uint64_t rsp)
{
	uint64_t begin_ns;

	return visits_end(visits, region, rsp, 0, &begin_ns);
}

static void test_nested_regions_are_independent(void **state)
{
	struct visits visits = {0};

	(void)state;
	assert_int_equal(begin(&visits, OUTER, 1000, 1), VISIT_BEGUN);
	assert_int_equal(begin(&visits, INNER, 1000, 2), VISIT_BEGUN);
	assert_int_equal(visits.n_visits, 2);
	assert_int_equal(end(&visits, OUTER, 1000), VISIT_ENDED);
	assert_int_equal(visits.visits[0].region, INNER);
	assert_int_equal(end(&visits, INNER, 1000), VISIT_ENDED);
	assert_int_equal(visits.n_visits, 0);
	visits_deinit(&visits);
}

static void test_recursion_is_one_visit(void **state)
{
	struct visits visits = {0};

	(void)state;
	assert_int_equal(begin(&visits, OUTER, 1000, 1), VISIT_BEGUN);
	assert_int_equal(begin(&visits, OUTER, 900, 2), VISIT_DEEPER);
	assert_int_equal(begin(&visits, OUTER, 800, 3), VISIT_DEEPER);
	assert_int_equal(end(&visits, OUTER, 800), VISIT_SHALLOWER);
	assert_int_equal(end(&visits, OUTER, 900), VISIT_SHALLOWER);
	assert_int_equal(end(&visits, OUTER, 1000), VISIT_ENDED);
	assert_int_equal(end(&visits, OUTER, 1000), VISIT_UNMATCHED);
	visits_deinit(&visits);
}

static void test_begin_from_the_same_frame_begins_anew(void **state)
{
	struct visits visits = {0};
	uint64_t former_ns = 0, begin_ns = 0;

	(void)state;
	assert_int_equal(begin(&visits, OUTER, 1000, 10), VISIT_BEGUN);
	assert_int_equal(visits_begin(&visits, OUTER, VISIT_ENDS_AT_MARKER, (struct visit_begin){1000, 0}, 25,
				      &former_ns),
			 VISIT_BEGUN_ANEW);
	assert_int_equal(former_ns, 10);
	assert_int_equal(visits_end(&visits, OUTER, 1000, 0, &begin_ns), VISIT_ENDED);
	assert_int_equal(begin_ns, 25);
	visits_deinit(&visits);
}

/* A longjmp from two frames down to the frame that began: its end ends the visit. */
static void test_frames_left_by_longjmp_need_no_end(void **state)
{
	struct visits visits = {0};

	(void)state;
	begin(&visits, OUTER, 1000, 1);
	begin(&visits, OUTER, 900, 2);
	begin(&visits, OUTER, 800, 3);
	assert_int_equal(end(&visits, OUTER, 1000), VISIT_ENDED);
	visits_deinit(&visits);
}

/* A longjmp to an outer frame, then a new recursion of equal depth. */
static void test_deeper_begin_after_longjmp_is_not_counted_twice(void **state)
{
	struct visits visits = {0};

	(void)state;
	begin(&visits, OUTER, 1000, 1);
	begin(&visits, OUTER, 800, 2);
	assert_int_equal(begin(&visits, OUTER, 900, 3), VISIT_DEEPER);
	assert_int_equal(end(&visits, OUTER, 900), VISIT_SHALLOWER);
	assert_int_equal(end(&visits, OUTER, 1000), VISIT_ENDED);
	visits_deinit(&visits);
}

/* begin_phase() and end_phase() helpers: any frame may end the visit. */
static void test_end_from_another_frame_ends(void **state)
{
	struct visits visits = {0};

	(void)state;
	begin(&visits, OUTER, 800, 1);
	assert_int_equal(end(&visits, OUTER, 1200), VISIT_ENDED);
	begin(&visits, OUTER, 800, 1);
	assert_int_equal(end(&visits, OUTER, 400), VISIT_ENDED);
	visits_deinit(&visits);
}

static void test_function_recursion_keeps_the_outermost_frame(void **state)
{
	struct visits visits = {0};
	uint64_t former_ns;

	(void)state;
	assert_int_equal(visits_begin(&visits, OUTER, VISIT_ENDS_AT_RETURN, (struct visit_begin){1000, 0}, 1,
				      &former_ns),
			 VISIT_BEGUN);
	assert_int_equal(visits_begin(&visits, OUTER, VISIT_ENDS_AT_RETURN, (struct visit_begin){900, 0}, 2,
				      &former_ns),
			 VISIT_DEEPER);
	assert_int_equal(visits.visits[0].begin.rsp, 1000);
	assert_int_equal(visits.visits[0].n_nested, 0);
	visits_deinit(&visits);
}

/* A handler on a signal stack above the thread's stack enters the region that it interrupted, and so does a handler's
 * handler. */
static void test_handlers_are_deeper_whatever_their_stack(void **state)
{
	struct visits visits = {0};
	uint64_t former_ns, begin_ns;

	(void)state;
	assert_int_equal(visits_begin(&visits, OUTER, VISIT_ENDS_AT_MARKER, (struct visit_begin){1000, 0}, 1,
				      &former_ns),
			 VISIT_BEGUN);
	assert_int_equal(visits_begin(&visits, OUTER, VISIT_ENDS_AT_MARKER, (struct visit_begin){900, 0}, 1,
				      &former_ns),
			 VISIT_DEEPER);
	assert_int_equal(visits_begin(&visits, OUTER, VISIT_ENDS_AT_MARKER, (struct visit_begin){5000, 1}, 2,
				      &former_ns),
			 VISIT_DEEPER);
	assert_int_equal(visits_begin(&visits, OUTER, VISIT_ENDS_AT_MARKER, (struct visit_begin){9000, 2}, 3,
				      &former_ns),
			 VISIT_DEEPER);
	assert_int_equal(visits_end(&visits, OUTER, 9000, 2, &begin_ns), VISIT_SHALLOWER);
	assert_int_equal(visits_end(&visits, OUTER, 5000, 1, &begin_ns), VISIT_SHALLOWER);
	assert_int_equal(visits_end(&visits, OUTER, 900, 0, &begin_ns), VISIT_SHALLOWER);
	assert_int_equal(visits_end(&visits, OUTER, 1000, 0, &begin_ns), VISIT_ENDED);
	visits_deinit(&visits);
}

/* A visit that began in a handler ends at the next begin after siglongjmp left the handler. */
static void test_a_left_handlers_visit_is_over(void **state)
{
	struct visits visits = {0};
	uint64_t former_ns;

	(void)state;
	assert_int_equal(visits_begin(&visits, OUTER, VISIT_ENDS_AT_MARKER, (struct visit_begin){5000, 1}, 1,
				      &former_ns),
			 VISIT_BEGUN);
	assert_int_equal(visits_begin(&visits, OUTER, VISIT_ENDS_AT_MARKER, (struct visit_begin){900, 0}, 2,
				      &former_ns),
			 VISIT_BEGUN_ANEW);
	visits_deinit(&visits);
}

static enum visit_change begin_scope(struct visits *visits, uint32_t region, uint64_t rsp)
{
	uint64_t former_ns;

	return visits_begin(visits, region, VISIT_ENDS_WITH_SCOPE, (struct visit_begin){rsp, 0}, 1, &former_ns);
}

static void test_scope_end_is_that_of_the_innermost(void **state)
{
	struct visits visits = {0};
	uint32_t region = 0;

	(void)state;
	assert_false(visits_innermost_scope(&visits, 1000, 0, &region));
	begin(&visits, 3, 990, 1); /* a marker's visit is not a scope */
	assert_false(visits_innermost_scope(&visits, 990, 0, &region));
	begin_scope(&visits, OUTER, 1000);
	begin_scope(&visits, INNER, 1000); /* a block of the same function */
	assert_true(visits_innermost_scope(&visits, 1000, 0, &region));
	assert_int_equal(region, INNER);
	end(&visits, INNER, 1000);
	assert_true(visits_innermost_scope(&visits, 1000, 0, &region));
	assert_int_equal(region, OUTER);
	begin_scope(&visits, INNER, 900);
	assert_int_equal(begin_scope(&visits, OUTER, 800), VISIT_DEEPER); /* recursion */
	assert_true(visits_innermost_scope(&visits, 800, 0, &region));
	assert_int_equal(region, OUTER);
	assert_int_equal(end(&visits, OUTER, 800), VISIT_SHALLOWER);
	assert_true(visits_innermost_scope(&visits, 900, 0, &region));
	assert_int_equal(region, INNER);
	/* longjmp left INNER: its frame is gone, OUTER's is not */
	assert_true(visits_innermost_scope(&visits, 1000, 0, &region));
	assert_int_equal(region, OUTER);
	assert_false(visits_innermost_scope(&visits, 1001, 0, &region));
	visits_deinit(&visits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested_regions_are_independent),
		cmocka_unit_test(test_recursion_is_one_visit),
		cmocka_unit_test(test_begin_from_the_same_frame_begins_anew),
		cmocka_unit_test(test_frames_left_by_longjmp_need_no_end),
		cmocka_unit_test(test_deeper_begin_after_longjmp_is_not_counted_twice),
		cmocka_unit_test(test_end_from_another_frame_ends),
		cmocka_unit_test(test_handlers_are_deeper_whatever_their_stack),
		cmocka_unit_test(test_a_left_handlers_visit_is_over),
		cmocka_unit_test(test_function_recursion_keeps_the_outermost_frame),
		cmocka_unit_test(test_scope_end_is_that_of_the_innermost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
