/* The statistics of counted samples. Pure functions.
 *
 * Sources: E. B. Wilson, "Probable inference, the law of succession, and statistical inference" (JASA 22, 1927) for the
 * interval; Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.5 and 26.4 for chi-square, 26.5 for the
 * binomial distribution. Probabilities are good to 1e-10, relative to one.
 */
#ifndef ITRACE_SAMPLER_STATISTICS_H
#define ITRACE_SAMPLER_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The normal deviate that is exceeded, in either direction, with the probability p, 0 < p < 1: 1.96 for 5 %. */
double statistics_deviate(double p);

/* The deviate with which n_rows intervals hold all at once with 95 % (Bonferroni's inequality): 1.96 for up to one row. */
double statistics_joint_deviate(size_t n_rows);

/* Wilson's interval for the share behind k of n, 0 <= k <= n; 0 to 1 when n is 0. */
void statistics_wilson(uint64_t k, uint64_t n, double z, double *low, double *high);

/* The probability that a chi-square variable of `degrees` degrees of freedom is at least `chi_square`. 1 when there
 * is no degree of freedom. */
double statistics_chi_square_p(double chi_square, size_t degrees);

/* Two-sided: twice the smaller tail (at most 1) of the binomial distribution: how likely k of n, or something as far
 * out, is when each has the probability p. */
double statistics_binomial_p(uint64_t k, uint64_t n, double p);

/* How likely it is that two series that share one probability differ by as much as k1 of n1 and k2 of n2: chi-square
 * of the 2 x 2 table. 1 when nothing can differ. */
double statistics_two_shares_p(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2);

struct statistics_homogeneity {
	double chi_square;
	size_t degrees;
	double p; /* that all series come from one distribution */
};

/* Whether n_series rows of n_classes counts, counts[series * n_classes + class], come from one distribution. Classes
 * in which any series is expected to have less than 5 are taken together (Cochran's rule). */
void statistics_homogeneity(const uint64_t *counts, size_t n_series, size_t n_classes,
			    struct statistics_homogeneity *result);

/* Autocorrelation of a sequence of classes: how much more often than by chance the class of i is that of i + lag.
 * correlation gets n_lags figures for the lags 1 ... n_lags < n: 1 when always the same, 0 as by chance. All 0 for a
 * single class. */
void statistics_autocorrelation(const uint32_t *classes, size_t n, size_t n_classes, size_t n_lags,
				double *correlation);

/* The standard deviation of these figures where nothing is correlated, for one lag. 0 for a single class. */
double statistics_autocorrelation_sd(const uint32_t *classes, size_t n, size_t n_classes, size_t lag);

/* The first lag at which the sequence comes back to itself, found as the first high peak of correlation (of lags 1
 * ... n_lags) behind the first valley; 0 when no peak reaches `threshold`. */
size_t statistics_find_period(const double *correlation, size_t n_lags, double threshold);

#endif
