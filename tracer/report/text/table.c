#include "report/formats.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/cost_split.h"
#include "analysis/inclusive.h"
#include "base/array.h"
#include "base/escape.h"
#include "base/units.h"
#include "report/text/labels.h"
#include "report/text/layout.h"
#include "report/text/marks.h"

enum { COLUMN_COUNT, COLUMN_EACH, COLUMN_CYCLES, COLUMN_SHARE, N_FIXED_COLUMNS };

/* The share of the cycles from which on a row stands out. */
#define HIGHLIGHT_PERCENT 10

/* What a line of the table is made from: one group, several, or the whole region. */
struct line {
	uint64_t executions;
	struct figure *figures; /* [n_models] */
};

struct table_context {
	const struct report *report;
	const struct section *section;
	struct inclusive inclusive;
	struct table table;
	bool *marks_used;
};

/* Behind the models: what a function costs with all that it called, and the share of that. */
static size_t inclusive_column(const struct table_context *context)
{
	return N_FIXED_COLUMNS + context->report->n_models - 1;
}

static size_t model_column(size_t model)
{
	return model == 0 ? COLUMN_CYCLES : N_FIXED_COLUMNS + model - 1;
}

static void set_marked_cell(struct table_context *context, size_t column, enum text_mark mark, const char *text)
{
	mark_set_cell(&context->table, column, mark, text, context->marks_used);
}

/* With several models their names stand above the columns, below what is in these. */
static void add_heading(struct table_context *context)
{
	table_add_row(&context->table)->is_heading = true;
	for (size_t i = 0; i < context->report->n_models; i++)
		table_set_cell(&context->table, model_column(i), "cycles");
	if (context->report->n_models > 1)
		table_add_row(&context->table)->is_heading = true;
	for (size_t i = 0; i < context->report->n_models && context->report->n_models > 1; i++) {
		char *name = escape_text(model_name(context->report->models[i]), ESCAPE_FOR_TERMINAL);

		table_set_cell(&context->table, model_column(i), name);
		free(name);
	}
	table_set_cell(&context->table, COLUMN_COUNT, "count");
	table_set_cell(&context->table, COLUMN_EACH, "each");
	table_set_cell(&context->table, COLUMN_SHARE, "share");
	if (context->inclusive.costs) {
		table_set_cell(&context->table, inclusive_column(context), "with calls");
		table_set_cell(&context->table, inclusive_column(context) + 1, "share");
	}
	table_set_label(&context->table, label_noun(context->report->options->by));
}

static void set_count(struct table_context *context, uint64_t executions, struct figure first)
{
	enum text_mark mark = first.kind == FIGURE_FALLBACK ? MARK_NONE : mark_of_figure(first);

	table_set_cell(&context->table, COLUMN_COUNT, units_count(executions).text);
	if (executions > 0)
		set_marked_cell(context, COLUMN_EACH, mark, units_cycles_each(first.mcyc, executions).text);
}

static void set_share(struct table_context *context, size_t column, struct figure figure)
{
	uint64_t whole = (uint64_t)context->section->estimates[0].ranked_mcyc;

	set_marked_cell(context, column, figure.kind == FIGURE_UNKNOWN ? MARK_UNKNOWN : MARK_NONE,
			units_share((uint64_t)figure.mcyc, whole).text);
}

static void set_line(struct table_context *context, const struct line *line)
{
	struct figure first = line->figures[0];

	set_count(context, line->executions, first);
	for (size_t i = 0; i < context->report->n_models; i++)
		set_marked_cell(context, model_column(i), mark_of_figure(line->figures[i]),
				units_cycles(line->figures[i].mcyc).text);
	set_share(context, COLUMN_SHARE, first);
}

static void set_inclusive(struct table_context *context, const struct profile_group *group)
{
	const uint64_t *costs = inclusive_of(&context->inclusive, group);
	struct figure figure;

	if (!costs)
		return;
	figure = cost_figure(costs, context->report->n_models, 0);
	set_marked_cell(context, inclusive_column(context), mark_of_figure(figure), units_cycles(figure.mcyc).text);
	set_share(context, inclusive_column(context) + 1, figure);
}

static bool stands_out(const struct table_context *context, struct figure first)
{
	return first.mcyc > 0 && first.mcyc >= context->section->estimates[0].ranked_mcyc / 100 * HIGHLIGHT_PERCENT;
}

/* Between a form and the row of the first model's table that its figure comes from; NULL: the row says nothing new. */
static const char *via_sign(const struct table_context *context, const struct cost *cost, const char *form_text)
{
	if (!cost->via || strcmp(cost->via, form_text) == 0)
		return NULL;
	if (cost->match == COST_FALLBACK)
		return " ~ ";
	return model_is_mapped(context->report->models[0]) ? " = " : NULL;
}

static char *form_label(const struct table_context *context, const struct profile_group *group)
{
	const struct cost *cost = &context->section->estimates[0].costs[group->parts[0].form];
	const char *sign = via_sign(context, cost, group->name);
	char *iterations, *label;

	iterations = group->iterations == 0 ? xstrdup("")
					    : xasprintf(" (%s iteration%s)", units_count(group->iterations).text,
							group->iterations == 1 ? "" : "s");
	label = xasprintf("%s%s%s%s", group->name, sign ? sign : "", sign ? cost->via : "", iterations);
	free(iterations);
	return label;
}

static void set_group_label(struct table_context *context, const struct profile_group *group)
{
	enum profile_group_by by = context->report->options->by;
	char *raw = by == GROUP_BY_FORM ? form_label(context, group) : label_group(context->report, by, group);
	char *label;

	label = escape_text(raw, ESCAPE_FOR_TERMINAL);
	table_set_label(&context->table, label);
	free(label);
	free(raw);
}

static void line_add_group(struct table_context *context, struct line *line, const struct profile_group *group,
			   bool is_first)
{
	line->executions += group->executions;
	for (size_t i = 0; i < context->report->n_models; i++) {
		struct figure figure = figure_of_group(&context->section->estimates[i], group);

		line->figures[i] = is_first ? figure : figure_add(line->figures[i], figure);
	}
}

static void add_rows(struct table_context *context)
{
	const struct report_options *options = context->report->options;
	struct line line = {.figures = xcalloc(context->report->n_models, sizeof(*line.figures))};
	struct ranking ranking;
	size_t n_rows, n_shown;

	ranking_init(&ranking, context->report->profile, context->section, options->by);
	n_rows = ranking.groups.n_groups;
	n_shown = options->top > 0 && options->top < n_rows ? options->top : n_rows;
	for (size_t i = 0; i < n_shown; i++) {
		struct table_row *row = table_add_row(&context->table);

		line.executions = 0;
		line_add_group(context, &line, ranking.rows[i].group, true);
		set_line(context, &line);
		set_inclusive(context, ranking.rows[i].group);
		set_group_label(context, ranking.rows[i].group);
		if (stands_out(context, line.figures[0]))
			row->highlighted = COLUMN_SHARE;
	}
	if (n_shown < n_rows) {
		char *label = xasprintf("%s more (--top 0 for all)", units_count(n_rows - n_shown).text);

		line.executions = 0;
		for (size_t i = n_shown; i < n_rows; i++)
			line_add_group(context, &line, ranking.rows[i].group, i == n_shown);
		table_add_row(&context->table);
		set_line(context, &line);
		table_set_label(&context->table, label);
		free(label);
	}
	ranking_deinit(&ranking);
	free(line.figures);
}

static void add_total(struct table_context *context)
{
	const struct estimate *estimates = context->section->estimates;

	table_add_row(&context->table);
	set_count(context, context->section->executions, figure_of_region(&estimates[0]));
	for (size_t i = 0; i < context->report->n_models; i++)
		set_marked_cell(context, model_column(i), mark_of_total(&estimates[i]),
				units_cycles(estimates[i].ranked_mcyc).text);
	table_set_label(&context->table, "in all");
}

static void add_times(struct table_context *context)
{
	const struct report *report = context->report;
	bool has_clock = false;

	for (size_t i = 0; i < report->n_models; i++)
		has_clock |= model_cycle_ps(report->models[i]) > 0;
	if (!has_clock)
		return;
	for (int is_clock = 0; is_clock < 2; is_clock++) {
		table_add_row(&context->table);
		for (size_t i = 0; i < report->n_models; i++) {
			const struct estimate *estimate = &context->section->estimates[i];
			uint64_t cycle_ps = model_cycle_ps(report->models[i]);

			if (cycle_ps == 0)
				continue;
			if (is_clock)
				table_set_cell(&context->table, model_column(i), units_clock(cycle_ps).text);
			else
				set_marked_cell(context, model_column(i), mark_of_total(estimate),
						units_duration(estimate->time_ns).text);
		}
		table_set_label(&context->table, is_clock ? "clock" : "time");
	}
}

static void add_ratios(struct table_context *context)
{
	char *name = escape_text(model_name(context->report->models[0]), ESCAPE_FOR_TERMINAL);
	char *label = xasprintf("ratio to %s", name);
	struct figure first = figure_of_region(&context->section->estimates[0]);

	table_add_row(&context->table);
	table_set_cell(&context->table, model_column(0), "1.00x");
	for (size_t i = 1; i < context->report->n_models; i++) {
		struct figure figure = figure_of_region(&context->section->estimates[i]);

		set_marked_cell(context, model_column(i),
				mark_of_ratio(&context->section->estimates[i], &context->section->estimates[0]),
				units_ratio((uint64_t)figure.mcyc, (uint64_t)first.mcyc).text);
	}
	table_set_label(&context->table, label);
	free(label);
	free(name);
}

/* The column of which a model's other bound is the sum; false: it has none, as in-order machines in a table have. */
static bool has_bound(const struct model *model, const struct estimate *estimate, enum cost_column column)
{
	if (estimate->pipeline)
		return true;
	if (model_estimator(model) != ESTIMATOR_TABLE)
		return column == COST_LATENCY;
	return model_rank(model) != column && estimate->latency_mcyc != estimate->throughput_mcyc;
}

static void add_bounds(struct table_context *context, enum cost_column column, const char *label)
{
	bool has_row = false;

	for (size_t i = 0; i < context->report->n_models; i++) {
		const struct estimate *estimate = &context->section->estimates[i];
		mcyc_t other = column == COST_LATENCY ? estimate->latency_mcyc : estimate->throughput_mcyc;

		if (!has_bound(context->report->models[i], estimate, column))
			continue;
		if (!has_row)
			table_add_row(&context->table);
		has_row = true;
		set_marked_cell(context, model_column(i), mark_of_total(estimate), units_cycles(other).text);
	}
	if (has_row)
		table_set_label(&context->table, label);
}

static void add_coverage(struct table_context *context, enum cost_match match, const char *label)
{
	bool has_row = false;

	for (size_t i = 0; i < context->report->n_models; i++) {
		const struct estimate *estimate = &context->section->estimates[i];
		uint64_t n = match == COST_EXACT      ? estimate->exact
			     : match == COST_FALLBACK ? estimate->fallback
						      : estimate->unknown;

		if (n == 0 && match != COST_EXACT)
			continue;
		if (!has_row)
			table_add_row(&context->table);
		has_row = true;
		table_set_cell(&context->table, model_column(i), units_share(n, context->section->executions).text);
	}
	if (has_row)
		table_set_label(&context->table, label);
}

/* On a narrow terminal names of functions are worth more. */
static bool has_room_for_inclusive(const struct report *report)
{
	enum { WIDTH_BESIDE_MODELS = 64, WIDTH_OF_MODEL = 14 };

	return !report->options->width ||
	       report->options->width >= WIDTH_BESIDE_MODELS + WIDTH_OF_MODEL * report->n_models;
}

void report_write_text_table(const struct report *report, const struct section *section, bool marks_used[N_TEXT_MARKS])
{
	struct table_context context = {.report = report, .section = section, .marks_used = marks_used};

	if (has_room_for_inclusive(report))
		inclusive_init(&context.inclusive, report, section);
	table_init(&context.table, inclusive_column(&context) + (context.inclusive.costs ? 2 : 0));
	add_heading(&context);
	add_rows(&context);
	add_total(&context);
	table_add_row(&context.table);
	if (report->n_models > 1) {
		add_times(&context);
		add_ratios(&context);
	}
	add_bounds(&context, COST_LATENCY, "with no overlap");
	add_bounds(&context, COST_RECIPROCAL_THROUGHPUT, "with full overlap");
	add_coverage(&context, COST_EXACT, "executions exact");
	add_coverage(&context, COST_FALLBACK, "~ fallback");
	add_coverage(&context, COST_UNKNOWN, "? unknown");
	table_write(&context.table, report->out, report->options->width, report->options->color);
	table_deinit(&context.table);
	inclusive_deinit(&context.inclusive);
}
