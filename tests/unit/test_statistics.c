#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "sampler/statistics.h"

static void assert_near(double found, double expected, double tolerance)
{
	if (!(fabs(found - expected) <= tolerance))
		fail_msg("%.12g is not within %g of %.12g", found, tolerance, expected);
}

/* With z = 2 the formula is (k + 2 +- 2 sqrt(k (n - k) / n + 1)) / (n + 4). */
static void the_wilson_interval_is_that_worked_by_hand(void **state)
{
	double low, high;

	(void)state;
	statistics_wilson(50, 100, 2, &low, &high); /* (52 +- 2 sqrt(26)) / 104 */
	assert_near(low, (52 - 2 * sqrt(26)) / 104, 1e-12);
	assert_near(high, (52 + 2 * sqrt(26)) / 104, 1e-12);
	statistics_wilson(5, 9, 2, &low, &high); /* (7 +- 2 sqrt(29 / 9)) / 13 */
	assert_near(low, (7 - 2 * sqrt(29.0 / 9)) / 13, 1e-12);
	assert_near(high, (7 + 2 * sqrt(29.0 / 9)) / 13, 1e-12);
	statistics_wilson(10, 100, statistics_joint_deviate(1), &low, &high); /* as in a table of one row */
	assert_near(low, 0.0552, 0.00005);
	assert_near(high, 0.1744, 0.00005);
}

/* From tables of the normal distribution. Each of 15 rows has a 300th: 2.9352. */
static void deviates_are_those_of_tables(void **state)
{
	(void)state;
	assert_near(statistics_deviate(0.05), 1.959963984540054, 1e-12);
	assert_near(statistics_deviate(0.01), 2.5758293035489, 1e-12);
	assert_near(statistics_joint_deviate(0), statistics_deviate(0.05), 1e-12);
	assert_near(statistics_joint_deviate(1), statistics_deviate(0.05), 1e-12);
	assert_near(statistics_joint_deviate(15), 2.935199, 1e-6);
}

static void the_wilson_interval_stays_between_nothing_and_all(void **state)
{
	double low, high;

	(void)state;
	statistics_wilson(0, 96, 2, &low, &high); /* (2 +- 2) / 100 */
	assert_near(low, 0, 0);
	assert_near(high, 0.04, 1e-12);
	statistics_wilson(96, 96, 2, &low, &high);
	assert_near(low, 0.96, 1e-12);
	assert_near(high, 1, 0);
	statistics_wilson(0, 0, 2, &low, &high);
	assert_near(low, 0, 0);
	assert_near(high, 1, 0);
}

/* With 2 degrees of freedom the probability is exp(-x/2), with 4 it is exp(-x/2) (1 + x/2), with 1 erfc(sqrt(x/2)). */
static void chi_square_is_that_of_closed_forms(void **state)
{
	(void)state;
	for (double x = 0.25; x < 60; x *= 1.7) {
		assert_near(statistics_chi_square_p(x, 1), erfc(sqrt(x / 2)), 1e-12);
		assert_near(statistics_chi_square_p(x, 2), exp(-x / 2), 1e-12);
		assert_near(statistics_chi_square_p(x, 4), exp(-x / 2) * (1 + x / 2), 1e-12);
	}
	assert_near(statistics_chi_square_p(18.307, 10), 0.05, 1e-5); /* tables */
	assert_near(statistics_chi_square_p(124.342, 100), 0.05, 1e-5);
	assert_near(statistics_chi_square_p(0, 3), 1, 0);
	assert_near(statistics_chi_square_p(7, 0), 1, 0);
}

static void the_binomial_test_counts_both_tails(void **state)
{
	(void)state;
	assert_near(statistics_binomial_p(8, 10, 0.5), 2 * (45 + 10 + 1) / 1024.0, 1e-12);
	assert_near(statistics_binomial_p(2, 10, 0.5), 2 * (45 + 10 + 1) / 1024.0, 1e-12);
	assert_near(statistics_binomial_p(5, 10, 0.5), 1, 0);
	/* Three sixes of three dice. */
	assert_near(statistics_binomial_p(3, 3, 1.0 / 6), 2.0 / 216, 1e-12);
	assert_near(statistics_binomial_p(0, 4, 0.5), 2.0 / 16, 1e-12);
	/* 10,000 tosses: one standard deviation is 50; with the half-step of the discrete tail P = erfc(99.5 / 50 /
	 * sqrt 2). */
	assert_near(statistics_binomial_p(5100, 10000, 0.5), erfc(1.99 / sqrt(2)), 1e-4);
	/* Impossible and certain results. */
	assert_near(statistics_binomial_p(1, 10, 0), 0, 0);
	assert_near(statistics_binomial_p(0, 10, 0), 1, 0);
	assert_near(statistics_binomial_p(10, 10, 1), 1, 0);
}

static void two_shares_are_compared_by_chi_square(void **state)
{
	(void)state;
	/* 60 and 40 of 100: the four cells are 10 off the expected 50, chi-square 4 * 100 / 50 = 8. */
	assert_near(statistics_two_shares_p(60, 100, 40, 100), statistics_chi_square_p(8, 1), 1e-12);
	assert_near(statistics_two_shares_p(50, 100, 500, 1000), 1, 1e-12);
	assert_near(statistics_two_shares_p(0, 100, 0, 7), 1, 0);
	assert_near(statistics_two_shares_p(0, 0, 3, 7), 1, 0);
}

static void series_of_one_distribution_are_told_from_others(void **state)
{
	/* 2 x 2 as above, and a class that the other series lacks. Two rare classes (1 and 2) are merged with 3 and
	 * 7, of which 5 are expected in each: (2^2 + 2^2) / 5. */
	static const uint64_t two[] = {60, 40, 40, 60};
	static const uint64_t rare[] = {50, 1, 2, 50, 4, 3};
	static const uint64_t same[] = {10, 20, 30, 100, 200, 300};
	static const uint64_t one_class[] = {10, 20};
	static const uint64_t empty[] = {10, 20, 0, 0};
	struct statistics_homogeneity result;

	(void)state;
	statistics_homogeneity(two, 2, 2, &result);
	assert_near(result.chi_square, 8, 1e-12);
	assert_int_equal(result.degrees, 1);
	assert_near(result.p, statistics_chi_square_p(8, 1), 1e-12);
	/* Totals 53 and 57 of 110. The first class has 100, the merged rare ones 10. */
	statistics_homogeneity(rare, 2, 3, &result);
	assert_int_equal(result.degrees, 1);
	assert_near(result.chi_square,
		    pow(50 - 100 * 53 / 110.0, 2) * (110 / 5300.0 + 110 / 5700.0) +
			    pow(3 - 10 * 53 / 110.0, 2) * (110 / 530.0 + 110 / 570.0),
		    1e-9);
	statistics_homogeneity(same, 2, 3, &result);
	assert_near(result.chi_square, 0, 1e-12);
	assert_int_equal(result.degrees, 2);
	assert_near(result.p, 1, 1e-12);
	statistics_homogeneity(one_class, 2, 1, &result);
	assert_int_equal(result.degrees, 0);
	assert_near(result.p, 1, 0);
	statistics_homogeneity(empty, 2, 2, &result);
	assert_int_equal(result.degrees, 0);
}

static void autocorrelation_is_one_where_a_sequence_repeats(void **state)
{
	static const uint32_t turns[] = {0, 1, 0, 1, 0, 1, 0, 1};
	static const uint32_t one[] = {0, 0, 0, 0};
	/* Shares 1/2, 1/4, 1/4: by chance 3/8 match. Lag 1: 0 0 1, 2 pairs alike at 0 0 of 7: (2/7 - 3/8) / (5/8). */
	static const uint32_t three[] = {0, 0, 1, 2, 0, 0, 1, 2};
	double correlation[4];

	(void)state;
	statistics_autocorrelation(turns, 8, 2, 4, correlation);
	assert_near(correlation[0], -1, 1e-12);
	assert_near(correlation[1], 1, 1e-12);
	assert_near(correlation[2], -1, 1e-12);
	assert_near(correlation[3], 1, 1e-12);
	statistics_autocorrelation(one, 4, 1, 2, correlation);
	assert_near(correlation[0], 0, 0);
	statistics_autocorrelation(three, 8, 3, 4, correlation);
	assert_near(correlation[0], (2.0 / 7 - 3.0 / 8) / (5.0 / 8), 1e-12);
	assert_near(correlation[3], 1, 1e-12);
	/* By chance half match: sqrt(1 / 7). */
	assert_near(statistics_autocorrelation_sd(turns, 8, 2, 1), sqrt(1 / 7.0), 1e-12);
	assert_near(statistics_autocorrelation_sd(one, 4, 1, 1), 0, 0);
}

static void the_period_is_the_first_high_peak(void **state)
{
	static const double returns[] = {0.5, 0.1, -0.3, 0.2, 0.9, 0.2, -0.3, 0.1, 0.5, 0.95, 0.5};
	static const double falls[] = {0.9, 0.8, 0.7, 0.6, 0.5};
	static const double side_peak[] = {0.1, -0.1, 0.2, -0.1, 0.9, 0.1};

	(void)state;
	assert_int_equal(statistics_find_period(returns, ARRAY_LENGTH(returns), 0.2), 5);
	assert_int_equal(statistics_find_period(returns, ARRAY_LENGTH(returns), 0.99), 0);
	assert_int_equal(statistics_find_period(falls, ARRAY_LENGTH(falls), 0.1), 0);
	assert_int_equal(statistics_find_period(side_peak, ARRAY_LENGTH(side_peak), 0.15), 5);
	assert_int_equal(statistics_find_period(NULL, 0, 0.1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_wilson_interval_is_that_worked_by_hand),
		cmocka_unit_test(deviates_are_those_of_tables),
		cmocka_unit_test(the_wilson_interval_stays_between_nothing_and_all),
		cmocka_unit_test(chi_square_is_that_of_closed_forms),
		cmocka_unit_test(the_binomial_test_counts_both_tails),
		cmocka_unit_test(two_shares_are_compared_by_chi_square),
		cmocka_unit_test(series_of_one_distribution_are_told_from_others),
		cmocka_unit_test(autocorrelation_is_one_where_a_sequence_repeats),
		cmocka_unit_test(the_period_is_the_first_high_peak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
