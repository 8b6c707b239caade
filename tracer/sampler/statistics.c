#include "sampler/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"

#define EPSILON 1e-15 /* relative; near the precision of a double */
#define TINY 1e-300   /* replaces 0 in Lentz's method */

/* The continued fractions below need about sqrt(n) terms; this is enough for 10^11 samples. */
#define TERMS_MAX 1000000

/* Cochran's rule: chi-square is a poor approximation below this expected count. */
#define EXPECTED_MIN 5

void statistics_wilson(uint64_t k, uint64_t n, double z, double *low, double *high)
{
	double share, centre, half, scale;

	assert(k <= n);
	if (n == 0) {
		*low = 0;
		*high = 1;
		return;
	}
	share = (double)k / (double)n;
	scale = 1 + z * z / (double)n;
	centre = (share + z * z / (2 * (double)n)) / scale;
	half = z / scale * sqrt(share * (1 - share) / (double)n + z * z / (4 * (double)n * (double)n));
	*low = k == 0 ? 0 : fmax(0, centre - half);
	*high = k == n ? 1 : fmin(1, centre + half);
}

double statistics_deviate(double p)
{
	double low = 0, high = 40;

	assert(p > 0 && p < 1);
	/* Bisection works because erfc decreases monotonically. A double has 53 bits. */
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle / sqrt(2)) > p)
			low = middle;
		else
			high = middle;
	}
	return low;
}

double statistics_joint_deviate(size_t n_rows)
{
	return statistics_deviate(0.05 / (double)(n_rows ? n_rows : 1));
}

/* log(gamma(x)) without the global variable that lgamma writes to. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* P(a, x), Abramowitz and Stegun 6.5.29. Converges fast for x < a + 1. */
static double gamma_series(double a, double x)
{
	double term = 1 / a, sum = term;

	for (int n = 1; n < TERMS_MAX && term > sum * EPSILON; n++) {
		term *= x / (a + n);
		sum += term;
	}
	return sum * exp(-x + a * log(x) - log_gamma(a));
}

static double away_from_zero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* Q(a, x), 6.5.31 by Lentz's method. Converges fast for x > a + 1. */
static double gamma_fraction(double a, double x)
{
	double b = x + 1 - a, c = 1 / TINY, d = 1 / b, fraction = d;

	for (int n = 1; n < TERMS_MAX; n++) {
		double an = -n * (n - a), step;

		b += 2;
		d = 1 / away_from_zero(an * d + b);
		c = away_from_zero(b + an / c);
		step = d * c;
		fraction *= step;
		if (fabs(step - 1) < EPSILON)
			break;
	}
	return fraction * exp(-x + a * log(x) - log_gamma(a));
}

double statistics_chi_square_p(double chi_square, size_t degrees)
{
	double a = (double)degrees / 2, x = chi_square / 2;

	if (degrees == 0 || chi_square <= 0)
		return 1;
	return x < a + 1 ? 1 - gamma_series(a, x) : gamma_fraction(a, x);
}

/* 26.5.8 by Lentz's method. Converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), fraction = d;

	for (int m = 1; m < TERMS_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / away_from_zero(1 + even * d);
		c = away_from_zero(1 + even / c);
		fraction *= d * c;
		d = 1 / away_from_zero(1 + odd * d);
		c = away_from_zero(1 + odd / c);
		step = d * c;
		fraction *= step;
		if (fabs(step - 1) < EPSILON)
			break;
	}
	return fraction;
}

/* I_x(a, b), the regularized incomplete beta function. */
static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double statistics_binomial_p(uint64_t k, uint64_t n, double p)
{
	double at_least, at_most;

	assert(k <= n);
	/* 26.5.24: the upper tail is I_p(k, n - k + 1). */
	at_least = k == 0 ? 1 : incomplete_beta((double)k, (double)(n - k) + 1, p);
	at_most = k == n ? 1 : incomplete_beta((double)(n - k), (double)k + 1, 1 - p);
	return fmin(1, 2 * fmin(at_least, at_most));
}

double statistics_two_shares_p(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2)
{
	double pooled, variance, difference;

	assert(k1 <= n1 && k2 <= n2);
	if (n1 == 0 || n2 == 0 || k1 + k2 == 0 || k1 + k2 == n1 + n2)
		return 1;
	pooled = (double)(k1 + k2) / (double)(n1 + n2);
	variance = pooled * (1 - pooled) * (1 / (double)n1 + 1 / (double)n2);
	difference = (double)k1 / (double)n1 - (double)k2 / (double)n2;
	return statistics_chi_square_p(difference * difference / variance, 1);
}

void statistics_homogeneity(const uint64_t *counts, size_t n_series, size_t n_classes,
			    struct statistics_homogeneity *result)
{
	uint64_t *merged = xcalloc(n_series, sizeof(*merged)), *totals = xcalloc(n_series, sizeof(*totals));
	uint64_t total = 0, smallest = UINT64_MAX, merged_total = 0;
	size_t n_kept = 0, n_filled = 0;

	*result = (struct statistics_homogeneity){.p = 1};
	for (size_t s = 0; s < n_series; s++) {
		for (size_t c = 0; c < n_classes; c++)
			totals[s] += counts[s * n_classes + c];
		total += totals[s];
		n_filled += totals[s] > 0;
		if (totals[s] > 0 && totals[s] < smallest)
			smallest = totals[s];
	}
	for (size_t c = 0; c <= n_classes && total > 0; c++) {
		uint64_t class_total = 0;
		bool is_merged = c == n_classes; /* the last pass adds the rare classes, merged into one */

		for (size_t s = 0; s < n_series && !is_merged; s++)
			class_total += counts[s * n_classes + c];
		if (!is_merged && (double)class_total * (double)smallest / (double)total < EXPECTED_MIN) {
			for (size_t s = 0; s < n_series; s++)
				merged[s] += counts[s * n_classes + c];
			merged_total += class_total;
			continue;
		}
		if (is_merged)
			class_total = merged_total;
		if (class_total == 0)
			continue;
		n_kept++;
		for (size_t s = 0; s < n_series; s++) {
			uint64_t found = is_merged ? merged[s] : counts[s * n_classes + c];
			double expected = (double)class_total * (double)totals[s] / (double)total;

			if (expected > 0)
				result->chi_square += ((double)found - expected) * ((double)found - expected) /
						      expected;
		}
	}
	if (n_kept > 1 && n_filled > 1)
		result->degrees = (n_kept - 1) * (n_filled - 1);
	result->p = statistics_chi_square_p(result->chi_square, result->degrees);
	free(merged);
	free(totals);
}

/* Returns the probability that two independent draws have the same class. */
static double chance_match(const uint32_t *classes, size_t n, size_t n_classes)
{
	uint64_t *counts = xcalloc(n_classes, sizeof(*counts));
	double match = 0;

	for (size_t i = 0; i < n; i++) {
		assert(classes[i] < n_classes);
		counts[classes[i]]++;
	}
	for (size_t c = 0; c < n_classes; c++)
		match += (double)counts[c] / (double)n * ((double)counts[c] / (double)n);
	free(counts);
	return match;
}

void statistics_autocorrelation(const uint32_t *classes, size_t n, size_t n_classes, size_t n_lags, double *correlation)
{
	double chance = n ? chance_match(classes, n, n_classes) : 1;

	assert(n_lags == 0 || n_lags < n);
	for (size_t lag = 1; lag <= n_lags; lag++) {
		size_t n_same = 0;

		for (size_t i = 0; i + lag < n; i++)
			n_same += classes[i] == classes[i + lag];
		correlation[lag - 1] = chance < 1 ? ((double)n_same / (double)(n - lag) - chance) / (1 - chance) : 0;
	}
}

double statistics_autocorrelation_sd(const uint32_t *classes, size_t n, size_t n_classes, size_t lag)
{
	double chance = n ? chance_match(classes, n, n_classes) : 1;

	assert(lag < n);
	return chance < 1 ? sqrt(chance / (1 - chance) / (double)(n - lag)) : 0;
}

static bool is_peak(const double *correlation, size_t n_lags, size_t i)
{
	return i > 0 && i + 1 < n_lags && correlation[i] >= correlation[i - 1] && correlation[i] > correlation[i + 1];
}

size_t statistics_find_period(const double *correlation, size_t n_lags, double threshold)
{
	/* The first peak that reaches this fraction of the highest peak is at the period. The highest peak may be at a
	 * multiple of the period. */
	static const double least_height = 0.8;
	size_t valley = 0;
	double highest = 0;

	/* Correlation falls from lag 0, where it is 1, to the first valley. */
	while (valley + 1 < n_lags && correlation[valley + 1] <= correlation[valley])
		valley++;
	for (size_t i = valley; i < n_lags; i++)
		if (is_peak(correlation, n_lags, i) && correlation[i] > highest)
			highest = correlation[i];
	if (highest < threshold || highest <= 0)
		return 0;
	for (size_t i = valley; i < n_lags; i++)
		if (is_peak(correlation, n_lags, i) && correlation[i] >= least_height * highest)
			return i + 1;
	return 0;
}
