#include "report/text/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "base/units.h"
#include "report/text/labels.h"
#include "report/text/sentences.h"

#define BAR_COLUMNS 12

void sample_text_percent(struct table *table, size_t column, double share, bool with_sign)
{
	table_set_cell(table, column, "%.1f%s", 100 * share, with_sign ? "%" : "");
}

/* Padded, so that bars are aligned on the left. */
static void set_bar(struct table *table, size_t column, double part, double greatest)
{
	size_t n = greatest > 0 ? (size_t)(part / greatest * BAR_COLUMNS + 0.5) : 0;
	char bar[BAR_COLUMNS + 1] = "";

	memset(bar, '*', n < BAR_COLUMNS ? n : BAR_COLUMNS);
	table_set_cell(table, column, "%-*s", BAR_COLUMNS, bar);
}

static void set_scale(struct table *table, size_t column, double greatest)
{
	char end[16];

	snprintf(end, sizeof(end), "%.1f%%", 100 * greatest);
	table_set_cell(table, column, "0%%%*s", BAR_COLUMNS - 2, end);
}

void sample_text_label(const struct report *report, struct table *table, const struct sample_row *row)
{
	enum sampling_by by = report->samples->table->by;
	bool is_unnamed = row->kind == SAMPLE_ROW_UNNAMED;
	const char *slash = strrchr(row->name, '/');

	if (by == SAMPLING_BY_LINE && is_unnamed)
		table_set_label(table, "%s, no line known", row->name);
	else if (by == SAMPLING_BY_LINE && slash)
		table_set_label(table, "%s [%s]", slash + 1, row->module);
	else if (is_unnamed)
		table_set_label(table, "%s, outside any symbol", row->name);
	else if (!*row->module || by == SAMPLING_BY_OBJECT)
		table_set_label(table, "%s", row->name);
	else
		table_set_label(table, "%s [%s]", row->name, row->module);
}

void sample_text_end_table(const struct report *report, struct table *table, size_t n_more)
{
	table_end(table, report->out, report->options->width, report->options->color);
	if (n_more > 0)
		fprintf(report->out, "  %zu more (--top 0 for all)\n", n_more);
}

enum { COLUMN_SAMPLES, COLUMN_SHARE, COLUMN_LOW, COLUMN_HIGH, COLUMN_BAR, N_COLUMNS };

static void begin_table(const struct report *report, struct table *table, bool has_interval, double greatest)
{
	static const char *const nouns[] = {
		[SAMPLING_BY_OBJECT] = "object", [SAMPLING_BY_FUNCTION] = "function", [SAMPLING_BY_LINE] = "line"};
	const char *const headings[N_COLUMNS] = {"samples", "share", has_interval ? "from" : "",
						 has_interval ? "to" : "", NULL};

	table_init(table, N_COLUMNS);
	table_add_heading(table, nouns[report->samples->table->by], headings);
	set_scale(table, COLUMN_BAR, greatest);
	table_set_optional(table, COLUMN_BAR, "bars");
	if (has_interval)
		table_set_optional(table, COLUMN_LOW, "from, to");
	if (has_interval)
		table_set_optional(table, COLUMN_HIGH, NULL);
}

static void add_row(struct table *table, uint64_t samples, uint64_t total)
{
	table_add_row(table);
	table_set_cell(table, COLUMN_SAMPLES, "%s", units_count(samples).text);
	sample_text_percent(table, COLUMN_SHARE, report_sample_share(samples, total), true);
}

static void write_table(const struct report *report)
{
	const struct sample_table *samples = report->samples->table;
	size_t n_rows = 0, n_shown;
	uint64_t total = samples->totals[0], shown = 0;
	double greatest = samples->n_rows ? report_sample_share(samples->rows[0].samples[0], total) : 0;
	struct table table;

	/* Rows without a sample in the first series come last. */
	while (n_rows < samples->n_rows && samples->rows[n_rows].samples[0])
		n_rows++;
	n_shown = label_n_shown(report, n_rows);
	begin_table(report, &table, true, greatest);
	for (size_t i = 0; i < n_shown; i++) {
		const struct sample_row *row = &samples->rows[i];

		add_row(&table, row->samples[0], total);
		sample_text_percent(&table, COLUMN_LOW, row->low, false);
		sample_text_percent(&table, COLUMN_HIGH, row->high, false);
		set_bar(&table, COLUMN_BAR, report_sample_share(row->samples[0], total), greatest);
		sample_text_label(report, &table, row);
		shown += row->samples[0];
	}
	if (n_shown < n_rows) {
		add_row(&table, total - shown, total);
		label_set_more(&table, n_rows - n_shown);
	}
	sample_text_end_table(report, &table, 0);
	sentence_write(report,
		       "  from, to: 95 %% confidence interval of the share, for all rows of 1 %% and more together, "
		       "if samples are independent");
}

static int compare_samples(const void *left, const void *right, void *context)
{
	const struct sample_thread *thread = context;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	return ORDER(thread->row_samples[b], thread->row_samples[a]) ?: ORDER(a, b);
}

static void write_thread(const struct report *report, struct sample_thread *thread)
{
	const struct sample_table *samples = report->samples->table;
	size_t *rows = xcalloc(samples->n_rows, sizeof(*rows)), n_rows = 0, n_shown;
	uint64_t shown = 0;
	struct table table;
	double greatest;

	for (size_t i = 0; i < samples->n_rows; i++)
		if (thread->row_samples[i])
			rows[n_rows++] = i;
	qsort_r(rows, n_rows, sizeof(*rows), compare_samples, thread);
	greatest = n_rows ? report_sample_share(thread->row_samples[rows[0]], thread->samples) : 0;
	n_shown = label_n_shown(report, n_rows);
	fprintf(report->out, "\nthread %" PRId32 ": %s sample%s, %s of all\n", thread->tid,
		units_count(thread->samples).text, thread->samples == 1 ? "" : "s",
		units_share(thread->samples, samples->totals[0]).text);
	begin_table(report, &table, false, greatest);
	for (size_t i = 0; i < n_shown; i++) {
		uint64_t n_samples = thread->row_samples[rows[i]];

		add_row(&table, n_samples, thread->samples);
		set_bar(&table, COLUMN_BAR, report_sample_share(n_samples, thread->samples), greatest);
		sample_text_label(report, &table, &samples->rows[rows[i]]);
		shown += n_samples;
	}
	if (n_shown < n_rows) {
		add_row(&table, thread->samples - shown, thread->samples);
		label_set_more(&table, n_rows - n_shown);
	}
	sample_text_end_table(report, &table, 0);
	free(rows);
}

static void write_summary(const struct report *report)
{
	const struct sampling *sampling = report->samples->sampling;
	uint64_t n_samples = report->samples->table->totals[0];

	sentence_write(report, "%s: %s sample%s, one every %s of CPU time; %s of CPU time in %s", sampling->argv[0],
		       units_count(n_samples).text, n_samples == 1 ? "" : "s",
		       units_duration(sampling->series[0].period_ns).text, units_duration(sampling->cpu_ns).text,
		       units_duration(sampling->wall_ns).text);
	fputc('\n', report->out);
}

static void write_notes(const struct report *report)
{
	const struct sampling *sampling = report->samples->sampling;

	if (sampling->n_in_children || sampling->n_lost || sampling->n_throttled || sampling->n_notes)
		fputc('\n', report->out);
	if (sampling->n_in_children)
		sentence_write(report, "%s sample%s in child processes left out",
			       units_count(sampling->n_in_children).text, sampling->n_in_children == 1 ? "" : "s");
	if (sampling->n_lost)
		sentence_write(report, "%s sample%s lost: the period is too short for this machine",
			       units_count(sampling->n_lost).text, sampling->n_lost == 1 ? "" : "s");
	if (sampling->n_throttled)
		sentence_write(report,
			       "the kernel throttled sampling %s time%s: the period is too short for "
			       "/proc/sys/kernel/perf_event_max_sample_rate",
			       units_count(sampling->n_throttled).text, sampling->n_throttled == 1 ? "" : "s");
	for (size_t i = 0; i < sampling->n_notes; i++)
		sentence_write(report, "%s", sampling->notes[i]);
}

void text_write_samples(const struct report *report)
{
	const struct sample_threads *threads = report->samples->threads;

	write_summary(report);
	write_table(report);
	for (size_t i = 0; threads && i < threads->n_threads; i++)
		write_thread(report, &threads->threads[i]);
	sample_text_write_verdict(report);
	if (report->samples->check)
		sample_text_write_check(report);
	write_notes(report);
}
