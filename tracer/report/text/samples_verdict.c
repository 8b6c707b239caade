#include "report/text/samples.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/units.h"

static const char *mark(enum trust trust)
{
	static const char *const marks[] = {[TRUST_GOOD] = "good", [TRUST_DOUBTFUL] = "doubtful", [TRUST_BAD] = "bad"};

	return marks[trust];
}

static struct units_text own_period(const struct sample_writer *writer, size_t series)
{
	const struct sample_rhythm *rhythm = &writer->report->verdict->trials[series].rhythm;

	return units_duration(rhythm->period_lags * writer->report->sampling->series[series].period_ns);
}

static void write_off_period(const struct sample_writer *writer)
{
	const struct sample_verdict *verdict = writer->report->verdict;
	const struct sample_rhythm *rhythm = &verdict->trials[0].rhythm;
	const char *grade = mark(verdict->off_period);
	size_t n_others = verdict->n_trials - 1;

	if (verdict->n_trials > 1 && verdict->off_period == TRUST_BAD)
		sample_text_paragraph(
			writer,
			"  %s: t is not a period of the program: ALIASING, %zu row%s moved with the period (below)%s",
			grade, verdict->n_moves, verdict->n_moves == 1 ? "" : "s",
			verdict->rest_p >= 0.01 ? "; the other periods agree with one another: use one of those" : "");
	else if (verdict->many_samples == TRUST_BAD)
		sample_text_paragraph(writer, "  %s: t is not a period of the program: too few samples to tell", grade);
	else if (verdict->n_trials > 1 && verdict->n_agreeing < n_others)
		sample_text_paragraph(
			writer,
			"  %s: t is not a period of the program: %zu of %zu other periods give the same shares; one that "
			"does not is in step with the program itself",
			grade, verdict->n_agreeing, n_others);
	else if (verdict->n_trials > 1)
		sample_text_paragraph(writer,
				      "  %s: t is not a period of the program: %zu other periods give the same shares",
				      grade, n_others);
	else if (verdict->off_period == TRUST_GOOD)
		sample_text_paragraph(
			writer,
			"  %s: t is not a period of the program: neighbours are alike by chance (correlation %.2f); "
			"--trials makes sure",
			grade, rhythm->next_alike);
	else
		sample_text_paragraph(
			writer,
			"  %s: t is not a period of the program: neighbours are alike (correlation %.2f): the program "
			"stays in one place for longer than t, or t is close to one of its periods; --trials tells which",
			grade, rhythm->next_alike);
}

static void write_conditions(const struct sample_writer *writer)
{
	const struct sample_verdict *verdict = writer->report->verdict;
	const struct sample_table *table = writer->report->table;
	const struct sampling_series *series = &writer->report->sampling->series[0];
	const struct sample_rhythm *rhythm = &verdict->trials[0].rhythm;
	size_t n_rows = 0;

	while (n_rows < table->n_rows && table->rows[n_rows].samples[0])
		n_rows++;
	fputs("\nto be trusted?\n", writer->out);
	sample_text_paragraph(writer, "  %s: t << T: %s sample%s, one each %s", mark(verdict->many_samples),
			      units_count(table->totals[0]).text, table->totals[0] == 1 ? "" : "s",
			      units_duration(series->period_ns).text);
	sample_text_paragraph(writer, "  %s: N << n: %.1f samples for each of %s row%s", mark(verdict->many_each),
			      n_rows ? (double)table->totals[0] / (double)n_rows : 0, units_count(n_rows).text,
			      n_rows == 1 ? "" : "s");
	write_off_period(writer);
	if (verdict->off_period == TRUST_BAD)
		sample_text_paragraph(writer, "  %s: T >> period: cannot be told while t is in step with the program",
				      mark(verdict->many_periods));
	else if (rhythm->period_lags)
		sample_text_paragraph(
			writer,
			"  %s: T >> period: the program seems to come back to itself after %s (correlation %.2f); "
			"%.1f times were sampled",
			mark(verdict->many_periods), own_period(writer, 0).text, rhythm->strength,
			verdict->periods_sampled);
	else if (rhythm->n_lags)
		sample_text_paragraph(writer, "  %s: T >> period: no period of the program between %s and %s shows",
				      mark(verdict->many_periods), units_duration(2 * series->period_ns).text,
				      units_duration(rhythm->n_lags * series->period_ns).text);
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
	char text[32];

	snprintf(text, sizeof(text), p < 0.0001 ? "<0.0001" : "%.4f", p);
	table_set_cell(table, column, text);
}

static void write_trials(const struct sample_writer *writer)
{
	static const char *const heading[] = {"trial", "period", "samples", "own period", "p", "moved"};
	const struct sample_verdict *verdict = writer->report->verdict;
	struct table table;

	fputs("\n", writer->out);
	table_init(&table, ARRAY_LENGTH(heading));
	table_add_row(&table)->is_heading = true;
	for (size_t i = 0; i < ARRAY_LENGTH(heading); i++)
		table_set_cell(&table, i, heading[i]);
	for (size_t s = 0; s < verdict->n_trials; s++) {
		const struct sampling_series *series = &writer->report->sampling->series[s];
		const struct sample_trial *trial = &verdict->trials[s];

		table_add_row(&table);
		table_set_cell(&table, 0, ratio_name(series->ratio));
		table_set_cell(&table, 1, units_duration(series->period_ns).text);
		table_set_cell(&table, 2, units_count(series->n_samples).text);
		table_set_cell(&table, 3, trial->rhythm.period_lags ? own_period(writer, s).text : "-");
		if (s == 0)
			continue;
		set_p(&table, 4, trial->p);
		table_set_cell(&table, 5, units_count(trial->n_moved).text);
	}
	table_write(&table, writer->out, writer->options->width, writer->options->color);
	table_deinit(&table);
	fputs("  p: how likely such a difference to the first one is by chance (chi-square); moved: rows whose share differs\n",
	      writer->out);
}

static void write_moves(const struct sample_writer *writer)
{
	const struct sample_verdict *verdict = writer->report->verdict;
	const struct sample_table *samples = writer->report->table;
	size_t n_shown = sample_text_rows_shown(writer, verdict->n_moves);
	struct table table;

	if (!verdict->n_moves)
		return;
	fputs("\nrows that moved, share by period\n", writer->out);
	table_init(&table, samples->n_series);
	table_add_row(&table)->is_heading = true;
	for (size_t s = 0; s < samples->n_series; s++)
		table_set_cell(&table, s, ratio_name(writer->report->sampling->series[s].ratio));
	for (size_t i = 0; i < n_shown; i++) {
		const struct sample_row *row = &samples->rows[verdict->moves[i].row];

		table_add_row(&table);
		for (size_t s = 0; s < samples->n_series; s++)
			sample_text_percent(&table, s, sample_text_share(row->samples[s], samples->totals[s]), true);
		sample_text_row(writer, &table, row);
	}
	table_write(&table, writer->out, writer->options->width, writer->options->color);
	table_deinit(&table);
	if (n_shown < verdict->n_moves)
		fprintf(writer->out, "  %zu more (--top 0 for all)\n", verdict->n_moves - n_shown);
}

void sample_text_write_verdict(const struct sample_writer *writer)
{
	write_conditions(writer);
	if (writer->report->verdict->n_trials > 1)
		write_trials(writer);
	write_moves(writer);
}

void sample_text_write_check(const struct sample_writer *writer)
{
	static const char *const heading[] = {"samples", "share", "from", "to", "exact", "share/exact", "p"};
	const struct sample_check *check = writer->report->check;
	size_t n_shown = sample_text_rows_shown(writer, check->n_rows);
	char *model = escape_text(check->model, ESCAPE_FOR_TERMINAL);
	struct table table;

	sample_text_paragraph(writer,
			      "\nsampled and exact: %s samples in the traced functions beside their %s cycles on %s",
			      units_count(check->n_samples).text, units_cycles(check->exact_mcyc).text, model);
	table_init(&table, ARRAY_LENGTH(heading) + 1);
	table_add_row(&table)->is_heading = true;
	for (size_t i = 0; i < ARRAY_LENGTH(heading); i++)
		table_set_cell(&table, i, heading[i]);
	table_set_label(&table, "function");
	for (size_t i = 0; i < n_shown; i++) {
		const struct sample_check_row *row = &check->rows[i];
		char *label = sample_text_label(writer, row->name, row->module, false);
		char ratio[32];

		table_add_row(&table);
		table_set_cell(&table, 0, units_count(row->samples).text);
		sample_text_percent(&table, 1, row->share, true);
		sample_text_percent(&table, 2, row->low, false);
		sample_text_percent(&table, 3, row->high, false);
		sample_text_percent(&table, 4, row->exact_share, true);
		snprintf(ratio, sizeof(ratio), "%.2fx", row->exact_share > 0 ? row->share / row->exact_share : 0);
		table_set_cell(&table, 5, row->exact_share > 0 ? ratio : "-");
		set_p(&table, 6, row->p);
		table_set_cell(&table, 7, row->is_different ? "differs" : "");
		table_set_label(&table, label);
		free(label);
	}
	table_write(&table, writer->out, writer->options->width, writer->options->color);
	table_deinit(&table);
	if (n_shown < check->n_rows)
		fprintf(writer->out, "  %zu more (--top 0 for all)\n", check->n_rows - n_shown);
	sample_text_paragraph(writer,
			      "  p: how likely such a difference is by chance (binomial test, times %s functions). %s",
			      units_count(check->n_rows).text,
			      check->n_different
				      ? "A function that differs takes another share of the time than of the "
					"model's cycles: above 1x it waits (cache misses, mispredicted branches, long "
					"dependency chains), below 1x its instructions overlap better than the average"
				      : "Chance explains all differences");
	if (check->n_samples_beside)
		sample_text_paragraph(writer, "  %s samples lie in the kernel or in functions that were not traced",
				      units_count(check->n_samples_beside).text);
	free(model);
}
