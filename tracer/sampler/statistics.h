/* Statistics of counted samples. All functions are pure.
 *
 * Sources: E. B. Wilson, "Probable inference, the law of succession, and statistical inference" (JASA 22, 1927) for
 * the interval; Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.5 and 26.4 for chi-square, 26.5 for
 * the binomial distribution. Probabilities have an absolute error of at most 1e-10.
 */
#ifndef ITRACE_SAMPLER_STATISTICS_H
#define ITRACE_SAMPLER_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the normal deviate that is exceeded in either direction with probability p, 0 < p < 1: 1.96 for 5 %. */
double statistics_deviate(double p);

/* Returns the normal deviate at which n_rows intervals hold jointly with 95 % (Bonferroni's inequality): 1.96 for up
 * to one row. */
double statistics_joint_deviate(size_t n_rows);

/* Computes Wilson's interval for the share when k of n samples hit, at the normal deviate z, 0 <= k <= n. The
 * interval is 0 to 1 if n is 0. */
void statistics_wilson(uint64_t k, uint64_t n, double z, double *low, double *high);

/* Returns the probability that a chi-square variable with `degrees` degrees of freedom is at least `chi_square`.
 * Returns 1 if degrees is 0. */
double statistics_chi_square_p(double chi_square, size_t degrees);

/* Returns the two-sided p-value of k hits of n when each hits with probability p: twice the smaller tail of the
 * binomial distribution, at most 1. */
double statistics_binomial_p(uint64_t k, uint64_t n, double p);

/* Returns the p-value of the hypothesis that k1 of n1 and k2 of n2 have the same probability: chi-square of the 2 x 2
 * table. Returns 1 if no difference is possible. */
double statistics_two_shares_p(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2);

struct statistics_homogeneity {
	double chi_square;
	size_t degrees;
	double p; /* the p-value of the hypothesis that all series have the same distribution */
};

/* Tests whether counts[n_series][n_classes] have the same distribution in all series. Classes with an expected count
 * below 5 in any series are merged (Cochran's rule). */
void statistics_homogeneity(const uint64_t *counts, size_t n_series, size_t n_classes,
			    struct statistics_homogeneity *result);

/* Computes the autocorrelation of a sequence of classes. correlation[lag - 1], for the lags 1 to n_lags < n, is 1 if
 * all elements i and i + lag have the same class, and 0 if as many have it as by chance. All are 0 for a single
 * class. */
void statistics_autocorrelation(const uint32_t *classes, size_t n, size_t n_classes, size_t n_lags,
				double *correlation);

/* Returns the standard deviation of correlation[lag - 1] for an uncorrelated sequence, or 0 for a single class. */
double statistics_autocorrelation_sd(const uint32_t *classes, size_t n, size_t n_classes, size_t lag);

/* Returns the period of a sequence: the lag of the first high peak in correlation[n_lags] after the first valley.
 * Returns 0 if no peak reaches `threshold`. */
size_t statistics_find_period(const double *correlation, size_t n_lags, double threshold);

#endif
