#include "report/text/samples.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/units.h"

#define BAR_COLUMNS 30

void sample_text_percent(struct table *table, size_t column, double share, bool with_sign)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f%s", 100 * share, with_sign ? "%" : "");
	table_set_cell(table, column, text);
}

double sample_text_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Padded, so that bars begin below one another. */
static void set_bar(struct table *table, size_t column, double part, double greatest)
{
	size_t n = greatest > 0 ? (size_t)(part / greatest * BAR_COLUMNS + 0.5) : 0;
	char bar[BAR_COLUMNS + 1];

	memset(bar, ' ', BAR_COLUMNS);
	memset(bar, '*', n < BAR_COLUMNS ? n : BAR_COLUMNS);
	bar[BAR_COLUMNS] = '\0';
	table_set_cell(table, column, bar);
}

static void set_scale(struct table *table, size_t column, double greatest)
{
	char scale[BAR_COLUMNS + 1], end[16];

	snprintf(end, sizeof(end), "%.1f%%", 100 * greatest);
	snprintf(scale, sizeof(scale), "0%%%*s", BAR_COLUMNS - 2, end);
	table_set_cell(table, column, scale);
}

char *sample_text_label(const struct sample_writer *writer, const char *name, const char *module, bool is_unnamed)
{
	enum sampling_by by = writer->report->table->by;
	char *raw, *label;

	if (by == SAMPLING_BY_LINE && is_unnamed)
		raw = xasprintf("%s, no line known", name);
	else if (by == SAMPLING_BY_LINE && strrchr(name, '/'))
		raw = xasprintf("%s [%s]", strrchr(name, '/') + 1, module);
	else if (is_unnamed)
		raw = xasprintf("%s, outside any symbol", name);
	else if (!*module || by == SAMPLING_BY_OBJECT)
		raw = xstrdup(name);
	else
		raw = xasprintf("%s [%s]", name, module);
	label = escape_text(raw, ESCAPE_FOR_TERMINAL);
	free(raw);
	return label;
}

void sample_text_row(const struct sample_writer *writer, struct table *table, const struct sample_row *row)
{
	char *label = sample_text_label(writer, row->name, row->module, row->kind == SAMPLE_ROW_UNNAMED);

	table_set_label(table, label);
	free(label);
}

enum { COLUMN_SAMPLES, COLUMN_SHARE, COLUMN_LOW, COLUMN_HIGH, COLUMN_BAR, N_COLUMNS };

static void begin_table(struct table *table, const char *label, double greatest)
{
	table_init(table, N_COLUMNS);
	table_add_row(table)->is_heading = true;
	table_set_cell(table, COLUMN_SAMPLES, "samples");
	table_set_cell(table, COLUMN_SHARE, "share");
	table_set_cell(table, COLUMN_LOW, "from");
	table_set_cell(table, COLUMN_HIGH, "to");
	set_scale(table, COLUMN_BAR, greatest);
	table_set_label(table, label);
}

static const char *by_label(const struct sample_writer *writer)
{
	static const char *const nouns[] = {
		[SAMPLING_BY_OBJECT] = "object", [SAMPLING_BY_FUNCTION] = "function", [SAMPLING_BY_LINE] = "line"};

	return nouns[writer->report->table->by];
}

size_t sample_text_rows_shown(const struct sample_writer *writer, size_t n_rows)
{
	return writer->options->top && writer->options->top < n_rows ? writer->options->top : n_rows;
}

static void add_more(struct table *table, uint64_t samples, uint64_t total, size_t n_more)
{
	char *label = xasprintf("%s more (--top 0 for all)", units_count(n_more).text);

	table_add_row(table);
	table_set_cell(table, COLUMN_SAMPLES, units_count(samples).text);
	sample_text_percent(table, COLUMN_SHARE, sample_text_share(samples, total), true);
	table_set_label(table, label);
	free(label);
}

static void write_table(const struct sample_writer *writer)
{
	const struct sample_table *samples = writer->report->table;
	size_t n_rows = 0, n_shown;
	uint64_t total = samples->totals[0], shown = 0;
	double greatest = samples->n_rows ? sample_text_share(samples->rows[0].samples[0], total) : 0;
	struct table table;

	/* Rows that only other series have seen come last. */
	while (n_rows < samples->n_rows && samples->rows[n_rows].samples[0])
		n_rows++;
	n_shown = sample_text_rows_shown(writer, n_rows);
	begin_table(&table, by_label(writer), greatest);
	for (size_t i = 0; i < n_shown; i++) {
		const struct sample_row *row = &samples->rows[i];

		table_add_row(&table);
		table_set_cell(&table, COLUMN_SAMPLES, units_count(row->samples[0]).text);
		sample_text_percent(&table, COLUMN_SHARE, sample_text_share(row->samples[0], total), true);
		sample_text_percent(&table, COLUMN_LOW, row->low, false);
		sample_text_percent(&table, COLUMN_HIGH, row->high, false);
		set_bar(&table, COLUMN_BAR, sample_text_share(row->samples[0], total), greatest);
		sample_text_row(writer, &table, row);
		shown += row->samples[0];
	}
	if (n_shown < n_rows)
		add_more(&table, total - shown, total, n_rows - n_shown);
	table_write(&table, writer->out, writer->options->width, writer->options->color);
	table_deinit(&table);
	fputs("  from, to: with 95 %, the true shares of all rows of 1 % and more lie between them, if samples are independent\n",
	      writer->out);
}

struct ranked {
	uint64_t samples;
	size_t row;
};

static int by_samples(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static void write_thread(const struct sample_writer *writer, const struct sample_thread *thread)
{
	const struct sample_table *samples = writer->report->table;
	struct ranked *ranked = xcalloc(samples->n_rows, sizeof(*ranked));
	size_t n_rows = 0, n_shown;
	uint64_t shown = 0;
	struct table table;
	double greatest;

	for (size_t i = 0; i < samples->n_rows; i++)
		if (thread->row_samples[i])
			ranked[n_rows++] = (struct ranked){thread->row_samples[i], i};
	qsort(ranked, n_rows, sizeof(*ranked), by_samples);
	greatest = n_rows ? sample_text_share(ranked[0].samples, thread->samples) : 0;
	n_shown = sample_text_rows_shown(writer, n_rows);
	fprintf(writer->out, "\nthread %" PRId32 ": %s sample%s, %s of all\n", thread->tid,
		units_count(thread->samples).text, thread->samples == 1 ? "" : "s",
		units_share(thread->samples, samples->totals[0]).text);
	begin_table(&table, by_label(writer), greatest);
	table_set_cell(&table, COLUMN_LOW, "");
	table_set_cell(&table, COLUMN_HIGH, "");
	for (size_t i = 0; i < n_shown; i++) {
		table_add_row(&table);
		table_set_cell(&table, COLUMN_SAMPLES, units_count(ranked[i].samples).text);
		sample_text_percent(&table, COLUMN_SHARE, sample_text_share(ranked[i].samples, thread->samples), true);
		set_bar(&table, COLUMN_BAR, sample_text_share(ranked[i].samples, thread->samples), greatest);
		sample_text_row(writer, &table, &samples->rows[ranked[i].row]);
		shown += ranked[i].samples;
	}
	if (n_shown < n_rows)
		add_more(&table, thread->samples - shown, thread->samples, n_rows - n_shown);
	table_write(&table, writer->out, writer->options->width, writer->options->color);
	table_deinit(&table);
	free(ranked);
}

void sample_text_paragraph(const struct sample_writer *writer, const char *format, ...)
{
	char text[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	paragraph_write(writer->out, text, writer->options->width, 0, false);
}

static void write_summary(const struct sample_writer *writer)
{
	const struct sampling *sampling = writer->report->sampling;
	char *program = escape_text(sampling->argv[0], ESCAPE_FOR_TERMINAL);
	uint64_t n_samples = writer->report->table->totals[0];

	sample_text_paragraph(writer, "%s: %s sample%s, one each %s of CPU time; %s of CPU time in %s", program,
			      units_count(n_samples).text, n_samples == 1 ? "" : "s",
			      units_duration(sampling->series[0].period_ns).text, units_duration(sampling->cpu_ns).text,
			      units_duration(sampling->wall_ns).text);
	fputs("\n", writer->out);
	free(program);
}

static void write_notes(const struct sample_writer *writer)
{
	const struct sampling *sampling = writer->report->sampling;

	if (sampling->n_in_children || sampling->n_lost || sampling->n_throttled || sampling->n_notes)
		fputs("\n", writer->out);
	if (sampling->n_in_children)
		sample_text_paragraph(writer, "%s more samples lie in processes that it started: they are left out",
				      units_count(sampling->n_in_children).text);
	if (sampling->n_lost)
		sample_text_paragraph(writer, "%s samples were lost: the period is too short for this machine",
				      units_count(sampling->n_lost).text);
	if (sampling->n_throttled)
		sample_text_paragraph(writer,
				      "the kernel held sampling back %s times: the period is too short for "
				      "/proc/sys/kernel/perf_event_max_sample_rate",
				      units_count(sampling->n_throttled).text);
	for (size_t i = 0; i < sampling->n_notes; i++) {
		char *note = escape_text(sampling->notes[i], ESCAPE_FOR_TERMINAL);

		sample_text_paragraph(writer, "%s", note);
		free(note);
	}
}

void sample_report_write_text(FILE *out, const struct sample_report *report, const struct report_options *options)
{
	struct sample_writer writer = {out, report, options};

	write_summary(&writer);
	write_table(&writer);
	for (size_t i = 0; report->threads && i < report->threads->n_threads; i++)
		write_thread(&writer, &report->threads->threads[i]);
	sample_text_write_verdict(&writer);
	if (report->check)
		sample_text_write_check(&writer);
	write_notes(&writer);
}
