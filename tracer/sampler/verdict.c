#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "sampler/sampler.h"
#include "sampler/statistics.h"

/* Samples that give a share of one half to within 3 % and 10 %. */
#define SAMPLES_GOOD 1000
#define SAMPLES_DOUBTFUL 100

/* Mean numbers of samples of a table row. */
#define EACH_GOOD 30	/* the share of such a row is off by at most about a third of itself */
#define EACH_DOUBTFUL 5 /* the share of such a row is off by at most about all of itself */

/* Numbers of periods of the program within the sampled time. The incomplete last period then has a weight of at most
 * a tenth, and a third. */
#define PERIODS_GOOD 10
#define PERIODS_DOUBTFUL 3

/* The share of the time that samples may take. All samples take equally long, so shares hardly change. But the program
 * runs longer, and finds its caches, timers and peers in another state. */
#define COST_GOOD 0.05
#define COST_DOUBTFUL 0.2

/* Limits for the search for autocorrelation. It takes time in proportion to samples times lags. */
#define RHYTHM_SAMPLES_MAX 32768
#define RHYTHM_LAGS_MAX 2000
#define RHYTHM_SAMPLES_MIN 40

/* Chance stays below 5 standard deviations even among thousands of lags. A correlation below 0.1 is too weak to
 * matter. */
#define CORRELATED_SD 5
#define CORRELATED_MIN 0.1

/* With this autocorrelation, neighbouring samples are no longer independent. */
#define ALIKE_DOUBTFUL 0.3
/* If the program's period is at most this many samples long, the samples show only as many points of the period. */
#define PERIOD_SHORT_LAGS 4
#define PERIOD_SHORT_STRENGTH 0.5

/* A row has moved if chance explains its shares in less than one of a hundred tables, and if the difference matters:
 * at least a tenth of the larger share and half a percent of the whole. */
#define MOVED_P 0.01
#define MOVED_RELATIVE 0.1
#define MOVED_ABSOLUTE 0.005

/* A row differs from the trace if chance explains it in less than one of twenty tables. */
#define DIFFERENT_P 0.05

static int32_t busiest_thread(const struct sampling *sampling, const struct sample_table *table)
{
	struct sample_threads threads;
	int32_t tid;

	sample_threads_init(&threads, sampling, table);
	tid = threads.n_threads ? threads.threads[0].tid : 0;
	sample_threads_deinit(&threads);
	return tid;
}

/* Uses the samples of only one thread, because the samples of several threads interleave by chance. Returns the
 * number of these samples. */
static size_t find_rhythm(struct sample_rhythm *rhythm, const struct sampling_series *series, const uint32_t *row_of,
			  size_t n_rows, int32_t tid)
{
	uint32_t *rows = xcalloc(series->n_samples + 1, sizeof(*rows));
	size_t n = 0, n_used;
	double *correlation;

	*rhythm = (struct sample_rhythm){0};
	for (size_t i = 0; i < series->n_samples; i++)
		if (series->samples[i].tid == tid)
			rows[n++] = row_of[i];
	n_used = n < RHYTHM_SAMPLES_MAX ? n : RHYTHM_SAMPLES_MAX;
	if (n_used >= RHYTHM_SAMPLES_MIN) {
		double threshold;

		rhythm->n_lags = n_used / 4 < RHYTHM_LAGS_MAX ? n_used / 4 : RHYTHM_LAGS_MAX;
		correlation = xcalloc(rhythm->n_lags, sizeof(*correlation));
		statistics_autocorrelation(rows, n_used, n_rows, rhythm->n_lags, correlation);
		threshold = CORRELATED_SD * statistics_autocorrelation_sd(rows, n_used, n_rows, rhythm->n_lags);
		if (threshold < CORRELATED_MIN)
			threshold = CORRELATED_MIN;
		rhythm->lag_1_correlation = correlation[0];
		rhythm->is_correlated = fabs(correlation[0]) > threshold;
		rhythm->period_lags = statistics_find_period(correlation, rhythm->n_lags, threshold);
		if (rhythm->period_lags)
			rhythm->strength = correlation[rhythm->period_lags - 1];
		free(correlation);
	}
	free(rows);
	return n;
}

static double share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static bool has_moved(double p_of_all_rows, double low, double high)
{
	return p_of_all_rows < MOVED_P && high - low >= MOVED_ABSOLUTE && high - low >= MOVED_RELATIVE * high;
}

static void compare_trial(struct sample_trial *trial, const struct sample_table *table, size_t series)
{
	uint64_t *counts = xcalloc(2 * table->n_rows, sizeof(*counts));
	struct statistics_homogeneity homogeneity;

	for (size_t i = 0; i < table->n_rows; i++) {
		const uint64_t *samples = table->rows[i].samples;
		double a = share_of(samples[0], table->totals[0]);
		double b = share_of(samples[series], table->totals[series]);
		double p = statistics_two_shares_p(samples[0], table->totals[0], samples[series],
						   table->totals[series]) *
			   (double)table->n_rows;

		counts[i] = samples[0];
		counts[table->n_rows + i] = samples[series];
		trial->n_moved += has_moved(p, fmin(a, b), fmax(a, b));
	}
	statistics_homogeneity(counts, 2, table->n_rows, &homogeneity);
	trial->p = homogeneity.p;
	free(counts);
}

/* Returns the p-value of the hypothesis that the series from `first` on have the same distribution. */
static double common_p(const struct sample_table *table, size_t first)
{
	size_t n_series = table->n_series - first;
	uint64_t *counts = xcalloc(n_series * table->n_rows, sizeof(*counts));
	struct statistics_homogeneity homogeneity;

	for (size_t s = 0; s < n_series; s++)
		for (size_t i = 0; i < table->n_rows; i++)
			counts[s * table->n_rows + i] = table->rows[i].samples[first + s];
	statistics_homogeneity(counts, n_series, table->n_rows, &homogeneity);
	free(counts);
	return homogeneity.p;
}

static void find_move(struct sample_verdict *verdict, const struct sample_table *table, uint32_t row)
{
	const uint64_t *samples = table->rows[row].samples;
	uint64_t *counts = xcalloc(table->n_series * 2, sizeof(*counts));
	uint64_t rest = 0, rest_total = 0;
	struct statistics_homogeneity homogeneity;
	double low = 1, high = 0, p;

	for (size_t s = 0; s < table->n_series; s++) {
		double share = share_of(samples[s], table->totals[s]);

		counts[2 * s] = samples[s];
		counts[2 * s + 1] = table->totals[s] - samples[s];
		low = fmin(low, share);
		high = fmax(high, share);
		rest += s ? samples[s] : 0;
		rest_total += s ? table->totals[s] : 0;
	}
	statistics_homogeneity(counts, table->n_series, 2, &homogeneity);
	free(counts);
	p = homogeneity.p * (double)table->n_rows;
	if (has_moved(p, low, high))
		*ARRAY_ADD(verdict, moves) = (struct sample_move){.row = row,
								  .p = p,
								  .share = share_of(samples[0], table->totals[0]),
								  .rest_share = share_of(rest, rest_total)};
}

static int compare_moves(const void *a, const void *b)
{
	const struct sample_move *x = a, *y = b;

	return ORDER(x->p, y->p) ?: ORDER(x->row, y->row);
}

static enum trust grade(double value, double good, double doubtful)
{
	return value >= good ? TRUST_GOOD : value >= doubtful ? TRUST_DOUBTFUL : TRUST_BAD;
}

static enum trust grade_off_period(const struct sample_verdict *verdict)
{
	const struct sample_rhythm *rhythm = &verdict->trials[0].rhythm;

	/* If a single other period has other shares, that period may itself be in step with the program. If most
	 * periods disagree, the first one is in step. */
	if (verdict->n_trials > 1 && 2 * verdict->n_agreeing < verdict->n_trials - 1)
		return TRUST_BAD;
	if (verdict->many_samples == TRUST_BAD) /* too few samples to show a difference */
		return TRUST_DOUBTFUL;
	if (verdict->n_trials > 1)
		return TRUST_GOOD;
	if (rhythm->is_correlated && rhythm->lag_1_correlation >= ALIKE_DOUBTFUL)
		return TRUST_DOUBTFUL;
	if (rhythm->period_lags && rhythm->period_lags <= PERIOD_SHORT_LAGS &&
	    rhythm->strength >= PERIOD_SHORT_STRENGTH)
		return TRUST_DOUBTFUL;
	return TRUST_GOOD;
}

/* The processor time includes what perf takes, but not the time in which a thread is stopped. */
static void judge_cost(struct sample_verdict *verdict, const struct sampling *sampling, bool has_samples)
{
	bool is_stopped = sampling->method && strcmp(sampling->method, "stops") == 0;

	if (!sampling->cost_ns || !sampling->cpu_ns) {
		verdict->low_cost = has_samples ? TRUST_DOUBTFUL : TRUST_GOOD;
		return;
	}
	verdict->cost_share =
		fmin(1, share_of(sampling->cost_ns, sampling->cpu_ns + (is_stopped ? sampling->cost_ns : 0)));
	verdict->low_cost = grade(1 - verdict->cost_share, 1 - COST_GOOD, 1 - COST_DOUBTFUL);
}

void sample_verdict_init(struct sample_verdict *verdict, const struct sampling *sampling,
			 const struct sample_table *table)
{
	int32_t tid = busiest_thread(sampling, table);
	size_t n_filled = 0, n_of_thread = 0;

	*verdict = (struct sample_verdict){.p = 1, .rest_p = 1, .n_trials = table->n_series};
	verdict->trials = xcalloc(verdict->n_trials, sizeof(*verdict->trials));
	for (size_t s = 0; s < table->n_series; s++) {
		size_t n = find_rhythm(&verdict->trials[s].rhythm, &sampling->series[s], table->row_of[s],
				       table->n_rows, tid);

		if (s == 0)
			n_of_thread = n;
		verdict->trials[s].p = 1;
		if (s > 0)
			compare_trial(&verdict->trials[s], table, s);
		verdict->n_agreeing += s > 0 && !verdict->trials[s].n_moved;
	}
	if (table->n_series > 1) {
		verdict->p = common_p(table, 0);
		verdict->rest_p = common_p(table, 1);
		for (size_t i = 0; i < table->n_rows; i++)
			find_move(verdict, table, (uint32_t)i);
		if (verdict->n_moves)
			qsort(verdict->moves, verdict->n_moves, sizeof(*verdict->moves), compare_moves);
	}
	for (size_t i = 0; i < table->n_rows; i++)
		n_filled += table->rows[i].samples[0] > 0;
	verdict->many_samples = grade((double)table->totals[0], SAMPLES_GOOD, SAMPLES_DOUBTFUL);
	verdict->many_each = grade(n_filled ? (double)table->totals[0] / (double)n_filled : 0, EACH_GOOD,
				   EACH_DOUBTFUL);
	judge_cost(verdict, sampling, table->totals[0] > 0);
	verdict->off_period = grade_off_period(verdict);
	verdict->many_periods = verdict->off_period == TRUST_BAD ? TRUST_DOUBTFUL : TRUST_GOOD;
	if (verdict->off_period != TRUST_BAD && verdict->trials[0].rhythm.period_lags) {
		verdict->periods_sampled = (double)n_of_thread / (double)verdict->trials[0].rhythm.period_lags;
		verdict->many_periods = grade(verdict->periods_sampled, PERIODS_GOOD, PERIODS_DOUBTFUL);
	}
}

static int compare_check_rows(const void *a, const void *b)
{
	const struct sample_check_row *x = a, *y = b;

	return ORDER(y->exact_mcyc, x->exact_mcyc) ?: ORDER(y->samples, x->samples);
}

static uint64_t samples_in(const struct sample_table *table, const struct sample_exact *exact)
{
	for (size_t i = 0; i < table->n_rows; i++) {
		const struct sample_row *row = &table->rows[i];

		if ((row->kind == SAMPLE_ROW_NAMED || row->kind == SAMPLE_ROW_UNNAMED) &&
		    strcmp(row->name, exact->name) == 0 && strcmp(row->module, exact->module) == 0)
			return row->samples[0];
	}
	return 0;
}

void sample_check_init(struct sample_check *check, const struct sample_table *table, const char *model,
		       const struct sample_exact *exact, size_t n_exact)
{
	size_t n_read = 0;
	double deviate;

	*check = (struct sample_check){.model = xstrdup(model)};
	for (size_t i = 0; i < n_exact; i++) {
		struct sample_check_row *row = ARRAY_ADD(check, rows);

		row->name = xstrdup(exact[i].name);
		row->module = xstrdup(exact[i].module);
		row->samples = samples_in(table, &exact[i]);
		row->exact_mcyc = exact[i].mcyc;
		check->exact_mcyc += exact[i].mcyc;
		check->n_samples += row->samples;
	}
	check->n_samples_beside = table->totals[0] - check->n_samples;
	for (size_t i = 0; i < check->n_rows; i++)
		n_read += (double)check->rows[i].samples >= SAMPLE_READ_SHARE * (double)check->n_samples;
	deviate = statistics_joint_deviate(n_read);
	for (size_t i = 0; i < check->n_rows; i++) {
		struct sample_check_row *row = &check->rows[i];

		row->share = share_of(row->samples, check->n_samples);
		row->exact_share = check->exact_mcyc ? (double)row->exact_mcyc / (double)check->exact_mcyc : 0;
		statistics_wilson(row->samples, check->n_samples, deviate, &row->low, &row->high);
		row->p = fmin(1, statistics_binomial_p(row->samples, check->n_samples, row->exact_share) *
					 (double)check->n_rows);
		row->is_different = row->p < DIFFERENT_P;
		check->n_different += row->is_different;
	}
	if (check->n_rows)
		qsort(check->rows, check->n_rows, sizeof(*check->rows), compare_check_rows);
}
