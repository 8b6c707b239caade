/* Fifteen functions of equal time called in turn, sampled by calculation, so that the good periods are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"
#include "sampler/sampler.h"
#include "sampler/statistics.h"

#define N_FUNCTIONS 15

struct run {
	struct sampling sampling;
	struct sample_table table;
	struct sample_verdict verdict;
};

/* The function that a loop of N_FUNCTIONS ns executes at `time`. */
static uint32_t function_at(double time)
{
	return (uint32_t)fmod(time, N_FUNCTIONS);
}

/* Samples a run of `total` ns with each period. Each sample is up to `jitter` late. */
static void sample(struct run *run, double total, const double *periods, size_t n_periods, double jitter, uint32_t seed)
{
	*run = (struct run){0};
	sampling_init(&run->sampling);
	run->table = (struct sample_table){.by = SAMPLING_BY_FUNCTION, .n_series = n_periods};
	run->table.totals = xcalloc(n_periods, sizeof(*run->table.totals));
	run->table.row_of = xcalloc(n_periods, sizeof(*run->table.row_of));
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		struct sample_row *row = ARRAY_ADD(&run->table, rows);

		row->name = xasprintf("f%zu", i);
		row->module = xstrdup("program");
		row->samples = xcalloc(n_periods, sizeof(*row->samples));
	}
	for (size_t s = 0; s < n_periods; s++) {
		struct sampling_series *series = ARRAY_ADD(&run->sampling, series);
		size_t n = (size_t)(total / periods[s]);

		series->period_ns = (uint64_t)periods[s];
		series->ratio = periods[s] / periods[0];
		run->table.row_of[s] = xcalloc(n, sizeof(**run->table.row_of));
		run->table.totals[s] = n;
		for (size_t i = 0; i < n; i++) {
			double late;

			seed = seed * 1664525 + 1013904223;
			late = jitter * (seed >> 8) / 16777216.0;
			run->table.row_of[s][i] = function_at((double)i * periods[s] + late);
			run->table.rows[run->table.row_of[s][i]].samples[s]++;
			ARRAY_ADD(series, samples)->tid = 1;
		}
	}
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		statistics_wilson(run->table.rows[i].samples[0], run->table.totals[0], statistics_joint_deviate(1),
				  &run->table.rows[i].low, &run->table.rows[i].high);
	sample_verdict_init(&run->verdict, &run->sampling, &run->table);
}

static void release(struct run *run)
{
	sample_verdict_deinit(&run->verdict);
	sample_table_deinit(&run->table);
	sampling_deinit(&run->sampling);
}

static void trials_of(double period, double periods[4])
{
	periods[0] = period;
	periods[1] = M_PI_2 * period;
	periods[2] = M_E * period;
	periods[3] = M_PI * period;
}

static void a_period_beside_that_of_the_loop_is_good(void **state)
{
	double periods[4];
	struct run run;

	(void)state;
	trials_of(104.27, periods);
	sample(&run, 104.27 * 2000, periods, 4, 0, 1);
	assert_int_equal(run.verdict.off_period, TRUST_GOOD);
	assert_int_equal(run.verdict.n_agreeing, 3);
	assert_int_equal(run.verdict.many_samples, TRUST_GOOD);
	assert_int_equal(run.verdict.many_each, TRUST_GOOD);
	assert_int_equal(run.verdict.n_moves, 0);
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		assert_true(run.table.rows[i].low < 1.0 / N_FUNCTIONS);
		assert_true(run.table.rows[i].high > 1.0 / N_FUNCTIONS);
	}
	release(&run);
}

/* The last period is slightly more than seven loops. t itself is good. */
static void one_other_period_in_step_is_not_blamed_on_t(void **state)
{
	double periods[4];
	struct run run;

	(void)state;
	trials_of(104.27, periods);
	periods[3] = 7 * N_FUNCTIONS + 0.0015;
	sample(&run, 104.27 * 2000, periods, 4, 0, 1);
	assert_int_equal(run.verdict.off_period, TRUST_GOOD);
	assert_int_equal(run.verdict.n_agreeing, 2);
	assert_true(run.verdict.trials[3].n_moved > 0);
	assert_true(run.verdict.n_moves > 0);
	release(&run);
}

/* Slightly more than seven loops: 2,000 samples pass over three functions (2,000 * 0.0015 = 3), unlike with the other
 * periods. */
static void a_period_of_the_loop_is_named_aliasing(void **state)
{
	double periods[4];
	struct run run;

	(void)state;
	trials_of(7 * N_FUNCTIONS + 0.0015, periods);
	sample(&run, periods[0] * 2000, periods, 4, 0, 1);
	assert_int_equal(run.verdict.off_period, TRUST_BAD);
	assert_int_equal(run.verdict.n_moves, N_FUNCTIONS);
	assert_true(run.verdict.p < 1e-6);
	assert_true(run.verdict.rest_p > 0.01);
	for (size_t i = 0; i < run.verdict.n_moves; i++) {
		const struct sample_move *move = &run.verdict.moves[i];

		assert_true(move->row < 3 ? move->share > 0.3 : move->share == 0);
		assert_true(fabs(move->rest_share - 1.0 / N_FUNCTIONS) < 0.02);
	}
	for (size_t s = 1; s < 4; s++)
		assert_int_equal(run.verdict.trials[s].n_moved, N_FUNCTIONS);
	release(&run);
}

static void one_series_in_step_is_doubted(void **state)
{
	double period = 7 * N_FUNCTIONS + 0.0015;
	struct run run;

	(void)state;
	sample(&run, period * 2000, &period, 1, 0, 1);
	assert_int_equal(run.verdict.off_period, TRUST_DOUBTFUL);
	assert_true(run.verdict.trials[0].rhythm.lag_1_correlation > 0.9);
	assert_int_equal(run.verdict.n_moves, 0);
	release(&run);
}

/* A sample every 3/4 of a function: the loop takes 20 samples. */
static void the_period_of_the_loop_is_found(void **state)
{
	double period = 0.75;
	struct run run;

	(void)state;
	sample(&run, period * 2000, &period, 1, 0, 1);
	assert_int_equal(run.verdict.trials[0].rhythm.period_lags, 20);
	assert_true(run.verdict.trials[0].rhythm.strength > 0.99);
	assert_true(fabs(run.verdict.periods_sampled - 100) < 1e-9);
	assert_int_equal(run.verdict.many_periods, TRUST_GOOD);
	release(&run);
	sample(&run, period * 100, &period, 1, 0, 1);
	assert_true(fabs(run.verdict.periods_sampled - 5) < 1e-9);
	assert_int_equal(run.verdict.many_periods, TRUST_DOUBTFUL);
	assert_int_equal(run.verdict.many_samples, TRUST_DOUBTFUL);
	release(&run);
}

/* Independent samples: each of the 20 trials has 15 intervals of 95 %, so that about 15 of the 300 miss. */
static void the_interval_holds_the_true_share_as_often_as_it_says(void **state)
{
	double period = N_FUNCTIONS;
	unsigned n_missed = 0;
	struct run run;

	(void)state;
	for (uint32_t seed = 1; seed <= 20; seed++) {
		sample(&run, period * 2000, &period, 1, N_FUNCTIONS, seed * 7919);
		assert_int_equal(run.verdict.off_period, TRUST_GOOD);
		for (size_t i = 0; i < N_FUNCTIONS; i++)
			n_missed += run.table.rows[i].low > 1.0 / N_FUNCTIONS ||
				    run.table.rows[i].high < 1.0 / N_FUNCTIONS;
		release(&run);
	}
	assert_in_range(n_missed, 5, 28);
}

static void few_samples_are_called_few(void **state)
{
	double period = 101.7;
	struct run run;

	(void)state;
	sample(&run, period * 30, &period, 1, 0, 1);
	assert_int_equal(run.verdict.many_samples, TRUST_BAD);
	assert_int_equal(run.verdict.many_each, TRUST_BAD);
	assert_int_equal(run.verdict.off_period, TRUST_DOUBTFUL);
	assert_int_equal(run.verdict.trials[0].rhythm.n_lags, 0);
	release(&run);
	sample(&run, 0, &period, 1, 0, 1);
	assert_int_equal(run.verdict.many_samples, TRUST_BAD);
	release(&run);
}

/* f0 has 100 of 400 samples. */
static void check_counts(uint64_t in_f0, int64_t mcyc_of_f0, bool differs)
{
	const struct sample_exact exact[] = {{"f0", "program", mcyc_of_f0}, {"f1", "program", 4000 - mcyc_of_f0}};
	uint64_t zero[] = {in_f0}, one[] = {400 - in_f0}, kernel[] = {50}, totals[] = {450};
	struct sample_row rows[] = {
		{.kind = SAMPLE_ROW_NAMED, .name = "f1", .module = "program", .samples = one},
		{.kind = SAMPLE_ROW_NAMED, .name = "f0", .module = "program", .samples = zero},
		{.kind = SAMPLE_ROW_KERNEL, .name = "[kernel]", .module = "", .samples = kernel},
	};
	const struct sample_table table = {
		.by = SAMPLING_BY_FUNCTION, .n_series = 1, .totals = totals, .rows = rows, .n_rows = 3};
	struct sample_check check;

	sample_check_init(&check, &table, "model", exact, 2);
	assert_int_equal(check.n_rows, 2);
	assert_int_equal(check.n_samples, 400);
	assert_int_equal(check.n_samples_beside, 50);
	assert_int_equal(check.exact_mcyc, 4000);
	assert_string_equal(check.rows[0].name, "f1"); /* more cycles */
	assert_string_equal(check.rows[1].name, "f0");
	assert_true(fabs(check.rows[1].share - (double)in_f0 / 400) < 1e-12);
	assert_true(fabs(check.rows[1].exact_share - (double)mcyc_of_f0 / 4000) < 1e-12);
	assert_int_equal(check.rows[1].is_different, differs);
	assert_int_equal(check.n_different, differs ? 2 : 0);
	sample_check_deinit(&check);
}

/* The standard deviation of a quarter of 400 is sqrt(400 * 3 / 16) = 8.7. */
static void a_share_is_different_when_chance_does_not_explain_it(void **state)
{
	(void)state;
	check_counts(100, 1000, false);
	check_counts(115, 1000, false);
	check_counts(130, 1000, true);
	check_counts(70, 1000, true);
}

/* perf's samples are part of the processor time; a thread that is stopped uses none. */
static void samples_that_take_much_time_are_bad(void **state)
{
	static const struct {
		const char *method;
		uint64_t cost_ns, cpu_ns;
		enum trust low_cost;
		double share;
	} rows[] = {
		{"perf", 49, 1000, TRUST_GOOD, 0.049},
		{"perf", 51, 1000, TRUST_DOUBTFUL, 0.051},
		{"perf", 199, 1000, TRUST_DOUBTFUL, 0.199},
		{"perf", 201, 1000, TRUST_BAD, 0.201},
		{"perf", 1200, 1000, TRUST_BAD, 1},
		{"stops", 3660, 270, TRUST_BAD, 3660.0 / 3930},
		{"stops", 249, 1000, TRUST_DOUBTFUL, 249.0 / 1249},
		{"stops", 10, 990, TRUST_GOOD, 0.01},
		{"perf", 0, 1000, TRUST_DOUBTFUL, 0},
		{"stops", 10, 0, TRUST_DOUBTFUL, 0},
	};
	double period = 104.27;
	struct run run;

	(void)state;
	sample(&run, 104.27 * 2000, &period, 1, 0, 1);
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		sample_verdict_deinit(&run.verdict);
		run.sampling.method = rows[i].method;
		run.sampling.cost_ns = rows[i].cost_ns;
		run.sampling.cpu_ns = rows[i].cpu_ns;
		sample_verdict_init(&run.verdict, &run.sampling, &run.table);
		assert_int_equal(run.verdict.low_cost, rows[i].low_cost);
		assert_true(fabs(run.verdict.cost_share - rows[i].share) < 1e-9);
	}
	release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_that_take_much_time_are_bad),
		cmocka_unit_test(a_period_beside_that_of_the_loop_is_good),
		cmocka_unit_test(one_other_period_in_step_is_not_blamed_on_t),
		cmocka_unit_test(a_period_of_the_loop_is_named_aliasing),
		cmocka_unit_test(one_series_in_step_is_doubted),
		cmocka_unit_test(the_period_of_the_loop_is_found),
		cmocka_unit_test(the_interval_holds_the_true_share_as_often_as_it_says),
		cmocka_unit_test(few_samples_are_called_few),
		cmocka_unit_test(a_share_is_different_when_chance_does_not_explain_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
