#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/coverage.h"
#include "base/array.h"
#include "base/escape.h"
#include "base/units.h"
#include "report/formats.h"
#include "report/text/labels.h"
#include "report/text/layout.h"
#include "report/text/marks.h"
#include "report/text/sentences.h"

/* How many rules, and forms without a figure, are named for each model. */
#define N_NAMED 3

struct context {
	const struct report *report;
	const struct section *section;
	struct table table;
	bool *marks_used;
};

static void set_cell(struct context *context, size_t column, enum text_mark mark, const char *text)
{
	mark_set_cell(&context->table, column, mark, text, context->marks_used);
}

static char *name_of_model(const struct report *report, size_t model)
{
	return escape_text(model_name(report->models[model]), ESCAPE_FOR_TERMINAL);
}

/* The totals: a line for each model. */
enum { TOTAL_CYCLES, TOTAL_TIME, TOTAL_CLOCK, TOTAL_RATIO, TOTAL_EXACT, TOTAL_FALLBACK, TOTAL_UNKNOWN, N_TOTALS };

static void add_total(struct context *context, size_t model)
{
	const struct report *report = context->report;
	const struct estimate *estimates = context->section->estimates, *estimate = &estimates[model];
	uint64_t cycle_ps = model_cycle_ps(report->models[model]), whole = context->section->executions;
	enum text_mark mark = mark_of_total(estimate);
	char *name = name_of_model(report, model);

	table_add_row(&context->table);
	set_cell(context, TOTAL_CYCLES, mark, units_cycles(estimate->ranked_mcyc).text);
	if (cycle_ps > 0) {
		set_cell(context, TOTAL_TIME, mark, units_duration(estimate->time_ns).text);
		table_set_cell(&context->table, TOTAL_CLOCK, units_clock(cycle_ps).text);
	}
	if (model == 0)
		table_set_cell(&context->table, TOTAL_RATIO, "1.00x");
	else
		set_cell(context, TOTAL_RATIO, mark_of_ratio(estimate, &estimates[0]),
			 units_ratio((uint64_t)estimate->ranked_mcyc, (uint64_t)estimates[0].ranked_mcyc).text);
	table_set_cell(&context->table, TOTAL_EXACT, units_share(estimate->exact, whole).text);
	if (estimate->fallback > 0)
		table_set_cell(&context->table, TOTAL_FALLBACK, units_share(estimate->fallback, whole).text);
	if (estimate->unknown > 0)
		table_set_cell(&context->table, TOTAL_UNKNOWN, units_share(estimate->unknown, whole).text);
	table_set_label(&context->table, name);
	free(name);
}

static void write_totals(struct context *context)
{
	static const char *const headings[] = {"cycles", "time", "clock", "ratio", "exact", "~fallback", "?unknown"};
	const struct report *report = context->report;

	table_init(&context->table, N_TOTALS);
	table_add_row(&context->table)->is_heading = true;
	for (size_t i = 0; i < N_TOTALS; i++)
		table_set_cell(&context->table, i, headings[i]);
	table_set_label(&context->table, "model");
	for (size_t i = 0; i < report->n_models; i++)
		add_total(context, i);
	table_write(&context->table, report->out, report->options->width, report->options->color);
	table_deinit(&context->table);
}

/* The flips: where a row ranks lower, then where it ranks higher. */
enum { FLIP_RANK, FLIP_EACH, FLIP_SHARE, FLIP_MODEL, N_SIDE, N_FLIP = 2 * N_SIDE };

/* "1st", to be freed. */
static char *ordinal(uint32_t n)
{
	static const char *const endings[] = {"th", "st", "nd", "rd"};
	bool is_teen = n % 100 >= 11 && n % 100 <= 13;

	return xasprintf("%s%s", units_count(n).text, endings[is_teen || n % 10 > 3 ? 0 : n % 10]);
}

static void add_side(struct context *context, const struct compare_row *row, size_t model, size_t column)
{
	const struct compare_place *place = &row->places[model];
	struct figure figure = figure_of_group(&context->section->estimates[model], row->group);
	enum text_mark mark = mark_of_figure(figure);
	char *name = name_of_model(context->report, model), *rank = ordinal(place->rank);

	table_set_cell(&context->table, column + FLIP_RANK, rank);
	if (row->group->executions > 0)
		set_cell(context, column + FLIP_EACH, mark,
			 units_cycles_each(place->mcyc, row->group->executions).text);
	table_set_cell(&context->table, column + FLIP_SHARE, units_share(place->share_ppm, 1000000).text);
	table_set_cell(&context->table, column + FLIP_MODEL, name);
	free(rank);
	free(name);
}

/* What stands behind a form's figure on a model, if its own text does not say it. */
static void print_via(FILE *out, const struct context *context, const struct compare_row *row, size_t model)
{
	const struct cost *cost = &context->section->estimates[model].costs[row->group->parts[0].form];

	if (!cost->via || strcmp(cost->via, row->group->name) == 0)
		return;
	fprintf(out, "; %s %c ", model_name(context->report->models[model]), cost->match == COST_FALLBACK ? '~' : '=');
	fputs(cost->via, out);
}

static void set_flip_label(struct context *context, const struct compare_row *row, enum profile_group_by by)
{
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);
	char *label, *name = profile_group_by_is_source(by) ? label_group(context->report, by, row->group) : NULL;

	fputs(name ? name : row->group->name, out);
	free(name);
	if (by == GROUP_BY_FORM) {
		print_via(out, context, row, row->low);
		print_via(out, context, row, row->high);
	}
	fclose(out);
	label = escape_text(sentence.text, ESCAPE_FOR_TERMINAL);
	table_set_label(&context->table, label);
	free(sentence.text);
	free(label);
}

static void add_flip_headings(struct context *context, const char *label)
{
	static const char *const headings[] = {"place", "each", "share", "on"};

	table_add_row(&context->table)->is_heading = true;
	for (size_t i = 0; i < N_FLIP; i++)
		table_set_cell(&context->table, i, headings[i % N_SIDE]);
	table_set_label(&context->table, label);
}

static void write_flips(struct context *context, enum profile_group_by by)
{
	const struct report *report = context->report;
	struct comparison comparison;
	size_t n_flips = 0, n_shown;

	comparison_init(&comparison, report->profile, context->section->region_index, by, context->section->estimates,
			report->n_models);
	while (n_flips < comparison.groups.n_groups && comparison.rows[n_flips].moved_ppm > 0)
		n_flips++;
	n_shown = report->options->top > 0 && report->options->top < n_flips ? report->options->top : n_flips;
	fputc('\n', report->out);
	if (n_flips == 0) {
		sentence_write(report, "no %s changes place by a tenth of a percent of the cycles", label_noun(by));
	} else {
		table_init(&context->table, N_FLIP);
		add_flip_headings(context, label_noun(by));
		for (size_t i = 0; i < n_shown; i++) {
			const struct compare_row *row = &comparison.rows[i];

			table_add_row(&context->table);
			add_side(context, row, row->low, 0);
			add_side(context, row, row->high, N_SIDE);
			set_flip_label(context, row, by);
		}
		table_write(&context->table, report->out, report->options->width, report->options->color);
		table_deinit(&context->table);
		if (n_shown < n_flips)
			sentence_write(report, "%s more change place (--top 0 for all)",
				       units_count(n_flips - n_shown).text);
	}
	comparison_deinit(&comparison);
}

static void write_coverage(const struct report *report, const struct section *section, size_t model)
{
	struct coverage coverage;
	struct sentence sentence;
	FILE *out;

	coverage_init(&coverage, &section->estimates[model], report->profile, section->region_index);
	if (coverage.n_rules + coverage.n_unknown > 0) {
		out = sentence_begin(&sentence);
		sentence_print_name(out, model_name(report->models[model]));
		fputs(":", out);
		for (size_t i = 0; i < coverage.n_rules && i < N_NAMED; i++)
			fprintf(out, "%s ~%s %s", i == 0 ? "" : ",",
				units_share(coverage.rules[i].executions, section->executions).text,
				coverage.rules[i].rule);
		if (coverage.n_unknown > 0)
			fprintf(out, "%s no figure for", coverage.n_rules > 0 ? ";" : "");
		for (size_t i = 0; i < coverage.n_unknown && i < N_NAMED; i++) {
			fputs(i == 0 ? " " : ", ", out);
			sentence_print_form(out, &coverage.unknown[i]);
		}
		if (coverage.n_unknown > N_NAMED)
			fprintf(out, ", %s more", units_count(coverage.n_unknown - N_NAMED).text);
		sentence_end(&sentence, report, 0);
	}
	coverage_deinit(&coverage);
}

static void write_section(const struct report *report, const struct section *section, bool marks_used[N_TEXT_MARKS])
{
	struct context context = {.report = report, .section = section, .marks_used = marks_used};
	enum profile_group_by by[COMPARE_MAX_BY];
	size_t n_by = report_compare_by(report->options, by);

	sentence_write_headline(report, section);
	if (section->executions + section->iterations > 0) {
		fputc('\n', report->out);
		write_totals(&context);
		for (size_t i = 0; i < n_by && report->n_models > 1; i++)
			write_flips(&context, by[i]);
		fputc('\n', report->out);
		for (size_t i = 0; i < report->n_models; i++)
			write_coverage(report, section, i);
	}
	fputc('\n', report->out);
}

void report_write_compare_text(const struct report *report)
{
	bool marks_used[N_TEXT_MARKS] = {false};

	for (size_t i = 0; i < report->sections->n_sections; i++)
		write_section(report, &report->sections->sections[i], marks_used);
	if (report->sections->n_sections == 0)
		sentence_write(report, "no region was reached");
	else if (report->n_models > 1)
		sentence_write(report, "each row: where it ranks lower, with the cycles of one execution and its share "
				       "of all cycles there, then where it ranks higher; rows whose share moves most "
				       "come first");
	sentence_write_notes(report);
	marks_write_legend(report, marks_used);
}
