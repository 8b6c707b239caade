#include "report/text/samples.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/units.h"
#include "report/text/labels.h"
#include "report/text/sentences.h"

static struct units_text own_period(const struct report *report, size_t series)
{
	const struct sample_rhythm *rhythm = &report->samples->verdict->trials[series].rhythm;

	return units_duration(rhythm->period_lags * report->samples->sampling->series[series].period_ns);
}

static void write_off_period(const struct report *report)
{
	const struct sample_verdict *verdict = report->samples->verdict;
	const struct sample_rhythm *rhythm = &verdict->trials[0].rhythm;
	const char *grade = report_trust_name(verdict->off_period);
	size_t n_others = verdict->n_trials - 1;

	if (verdict->n_trials > 1 && verdict->off_period == TRUST_BAD)
		sentence_write(report,
			       "  %s: t is not a period of the program: ALIASING, the share of %zu row%s depends "
			       "on the period (below)%s",
			       grade, verdict->n_moves, verdict->n_moves == 1 ? "" : "s",
			       verdict->rest_p >= 0.01 ? "; the other periods agree with one another: use one of those"
						       : "");
	else if (verdict->many_samples == TRUST_BAD)
		sentence_write(report, "  %s: t is not a period of the program: too few samples to tell", grade);
	else if (verdict->n_trials > 1 && verdict->n_agreeing < n_others)
		sentence_write(
			report,
			"  %s: t is not a period of the program: %zu of %zu other periods give the same shares; those "
			"that do not are in step with the program",
			grade, verdict->n_agreeing, n_others);
	else if (verdict->n_trials > 1)
		sentence_write(report, "  %s: t is not a period of the program: %zu other periods give the same shares",
			       grade, n_others);
	else if (verdict->off_period == TRUST_GOOD)
		sentence_write(report,
			       "  %s: t is not a period of the program: neighbouring samples are alike only by chance "
			       "(correlation %.2f); --trials checks it",
			       grade, rhythm->lag_1_correlation);
	else
		sentence_write(
			report,
			"  %s: t is not a period of the program: neighbouring samples are alike (correlation %.2f): "
			"the program stays in one place for longer than t, or t is close to one of its periods; "
			"--trials tells which",
			grade, rhythm->lag_1_correlation);
}

static void write_conditions(const struct report *report)
{
	const struct sample_verdict *verdict = report->samples->verdict;
	const struct sample_table *table = report->samples->table;
	const struct sampling_series *series = &report->samples->sampling->series[0];
	const struct sample_rhythm *rhythm = &verdict->trials[0].rhythm;
	size_t n_rows = 0;

	while (n_rows < table->n_rows && table->rows[n_rows].samples[0])
		n_rows++;
	fputs("\nconditions for good statistics (t: period, T: run time, N: rows, n: samples, c: cost of a sample)\n",
	      report->out);
	sentence_write(report, "  %s: t << T: %s sample%s, one every %s", report_trust_name(verdict->many_samples),
		       units_count(table->totals[0]).text, table->totals[0] == 1 ? "" : "s",
		       units_duration(series->period_ns).text);
	sentence_write(report, "  %s: N << n: %.1f samples for each of %s row%s", report_trust_name(verdict->many_each),
		       n_rows ? (double)table->totals[0] / (double)n_rows : 0, units_count(n_rows).text,
		       n_rows == 1 ? "" : "s");
	write_off_period(report);
	if (verdict->off_period == TRUST_BAD)
		sentence_write(report, "  %s: T >> period: unknown while t is in step with the program",
			       report_trust_name(verdict->many_periods));
	else if (rhythm->period_lags)
		sentence_write(report,
			       "  %s: T >> period: the program seems to repeat itself every %s (correlation %.2f); "
			       "%.1f of its periods were sampled",
			       report_trust_name(verdict->many_periods), own_period(report, 0).text, rhythm->strength,
			       verdict->periods_sampled);
	else if (rhythm->n_lags)
		sentence_write(report, "  %s: T >> period: no period of the program found between %s and %s",
			       report_trust_name(verdict->many_periods), units_duration(2 * series->period_ns).text,
			       units_duration(rhythm->n_lags * series->period_ns).text);
}

static void write_cost(const struct report *report)
{
	const struct sample_verdict *verdict = report->samples->verdict;
	const struct sampling *sampling = report->samples->sampling;
	uint64_t n_samples = 0;

	for (size_t s = 0; s < sampling->n_series; s++)
		n_samples += report->samples->table->totals[s];
	if (!verdict->cost_share || !n_samples)
		sentence_write(report, "  %s: c << t: %s", report_trust_name(verdict->low_cost),
			       n_samples ? "the cost of samples is unknown" : "no samples, no cost");
	else
		sentence_write(report, "  %s: c << t: each sample cost about %s, %.1f%% of the time in all%s",
			       report_trust_name(verdict->low_cost), units_duration(sampling->cost_ns / n_samples).text,
			       100 * verdict->cost_share,
			       verdict->low_cost == TRUST_GOOD ? "" : "; a longer --period costs less");
}

static const char *ratio_name(double ratio)
{
	static const struct {
		double ratio;
		const char *name;
	} names[] = {{1, "t"}, {M_PI_2, "pi/2 t"}, {M_E, "e t"}, {M_PI, "pi t"}};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
		if (fabs(ratio - names[i].ratio) < 1e-9)
			return names[i].name;
	return "";
}

static void set_p(struct table *table, size_t column, double p)
{
	table_set_cell(table, column, p < 0.0001 ? "<0.0001" : "%.4f", p);
}

static void write_trials(const struct report *report)
{
	static const char *const headings[] = {"trial", "period", "samples", "own period", "p", "moved"};
	const struct sample_verdict *verdict = report->samples->verdict;
	struct table table;

	fputs("\n", report->out);
	table_init(&table, ARRAY_LENGTH(headings));
	table_add_heading(&table, NULL, headings);
	for (size_t s = 0; s < verdict->n_trials; s++) {
		const struct sampling_series *series = &report->samples->sampling->series[s];
		const struct sample_trial *trial = &verdict->trials[s];

		table_add_row(&table);
		table_set_cell(&table, 0, "%s", ratio_name(series->ratio));
		table_set_cell(&table, 1, "%s", units_duration(series->period_ns).text);
		table_set_cell(&table, 2, "%s", units_count(series->n_samples).text);
		table_set_cell(&table, 3, "%s", trial->rhythm.period_lags ? own_period(report, s).text : "-");
		if (s == 0)
			continue;
		set_p(&table, 4, trial->p);
		table_set_cell(&table, 5, "%s", units_count(trial->n_moved).text);
	}
	sample_text_end_table(report, &table, 0);
	sentence_write(report,
		       "  p: probability of such a difference to the first trial by chance (chi-square); moved: rows "
		       "whose share differs");
}

static void write_moves(const struct report *report)
{
	const struct sample_verdict *verdict = report->samples->verdict;
	const struct sample_table *samples = report->samples->table;
	size_t n_shown = label_n_shown(report, verdict->n_moves);
	struct table table;

	if (!verdict->n_moves)
		return;
	fputs("\nrows whose share depends on the period\n", report->out);
	table_init(&table, samples->n_series);
	table_add_row(&table)->is_heading = true;
	for (size_t s = 0; s < samples->n_series; s++)
		table_set_cell(&table, s, "%s", ratio_name(report->samples->sampling->series[s].ratio));
	for (size_t i = 0; i < n_shown; i++) {
		const struct sample_row *row = &samples->rows[verdict->moves[i].row];

		table_add_row(&table);
		for (size_t s = 0; s < samples->n_series; s++)
			sample_text_percent(&table, s, report_sample_share(row->samples[s], samples->totals[s]), true);
		sample_text_label(report, &table, row);
	}
	sample_text_end_table(report, &table, verdict->n_moves - n_shown);
}

void sample_text_write_verdict(const struct report *report)
{
	write_conditions(report);
	write_cost(report);
	if (report->samples->verdict->n_trials > 1)
		write_trials(report);
	write_moves(report);
}

void sample_text_write_check(const struct report *report)
{
	static const char *const headings[] = {"samples", "share", "from", "to", "exact", "share/exact", "p", NULL};
	const struct sample_check *check = report->samples->check;
	size_t n_shown = label_n_shown(report, check->n_rows);
	struct table table;

	fputc('\n', report->out);
	sentence_write(report, "sampled against exact: %s sample%s in the traced functions, and their %s cycles on %s",
		       units_count(check->n_samples).text, check->n_samples == 1 ? "" : "s",
		       units_cycles(check->exact_mcyc).text, check->model);
	table_init(&table, ARRAY_LENGTH(headings));
	table_add_heading(&table, "function", headings);
	table_set_optional(&table, 2, "from, to");
	table_set_optional(&table, 3, NULL);
	for (size_t i = 0; i < n_shown; i++) {
		const struct sample_check_row *row = &check->rows[i];

		table_add_row(&table);
		table_set_cell(&table, 0, "%s", units_count(row->samples).text);
		sample_text_percent(&table, 1, row->share, true);
		sample_text_percent(&table, 2, row->low, false);
		sample_text_percent(&table, 3, row->high, false);
		sample_text_percent(&table, 4, row->exact_share, true);
		table_set_cell(&table, 5, row->exact_share > 0 ? "%.2fx" : "-", row->share / row->exact_share);
		set_p(&table, 6, row->p);
		table_set_cell(&table, 7, row->is_different ? "differs" : "");
		sample_text_label(report, &table, &(struct sample_row){.name = row->name, .module = row->module});
	}
	sample_text_end_table(report, &table, check->n_rows - n_shown);
	sentence_write(report,
		       "  p: probability of such a difference by chance (binomial test, times %s function%s). %s",
		       units_count(check->n_rows).text, check->n_rows == 1 ? "" : "s",
		       check->n_different
			       ? "A function that differs has another share of the time than of the "
				 "model's cycles: above 1x it waits (cache misses, mispredicted branches, long "
				 "dependency chains), below 1x its instructions overlap better than the average"
			       : "Chance explains all differences");
	if (check->n_samples_beside)
		sentence_write(report, "  %s sample%s in the kernel or in functions that were not traced",
			       units_count(check->n_samples_beside).text, check->n_samples_beside == 1 ? "" : "s");
}
