#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"
#include "report/text/labels.h"
#include "report/text/qualifiers.h"
#include "report/text/sentences.h"

/* Columns of the totals, which have a row for each model. */
enum { TOTAL_CYCLES, TOTAL_TIME, TOTAL_CLOCK, TOTAL_RATIO, TOTAL_EXACT, TOTAL_FALLBACK, TOTAL_UNKNOWN, N_TOTALS };

static void add_total(const struct report *report, const struct region_analysis *region, size_t model,
		      struct table *table)
{
	const struct estimate *first = &region->estimates[0], *estimate = &region->estimates[model];
	uint64_t cycle_ps = model_cycle_ps(report->models[model]), whole = region->executions;
	enum qualifier qualifier = qualifier_of_total(estimate);

	table_add_row(table);
	qualifier_set_cell(report, table, TOTAL_CYCLES, qualifier, units_cycles(estimate->total_mcyc).text);
	if (cycle_ps > 0) {
		qualifier_set_cell(report, table, TOTAL_TIME, qualifier, units_duration(estimate->time_ns).text);
		table_set_cell(table, TOTAL_CLOCK, "%s", units_clock(cycle_ps).text);
	}
	if (model == 0)
		table_set_cell(table, TOTAL_RATIO, "1.00x");
	else
		qualifier_set_ratio(report, table, TOTAL_RATIO, estimate, first);
	table_set_cell(table, TOTAL_EXACT, "%s", units_share(estimate->exact, whole).text);
	if (estimate->fallback > 0)
		table_set_cell(table, TOTAL_FALLBACK, "%s", units_share(estimate->fallback, whole).text);
	if (estimate->unknown > 0)
		table_set_cell(table, TOTAL_UNKNOWN, "%s", units_share(estimate->unknown, whole).text);
	table_set_label(table, "%s", model_name(report->models[model]));
}

static void write_totals(const struct report *report, const struct region_analysis *region)
{
	static const char *const headings[N_TOTALS] = {"cycles", "time",      "clock",	 "ratio",
						       "exact",	 "~fallback", "?unknown"};
	struct table table;

	table_init(&table, N_TOTALS);
	table_add_heading(&table, "model", headings);
	table_set_optional(&table, TOTAL_CLOCK, headings[TOTAL_CLOCK]);
	table_set_optional(&table, TOTAL_EXACT, headings[TOTAL_EXACT]);
	for (size_t i = 0; i < report->n_models; i++)
		add_total(report, region, i, &table);
	table_end(&table, report->out, report->options->width, report->options->color);
}

/* Columns of the groups that change their rank. The first side is the model on which a group ranks lower. */
enum { MOVE_RANK, MOVE_EACH, MOVE_SHARE, MOVE_MODEL, N_SIDE, N_MOVE = 2 * N_SIDE };

static const char *ordinal_ending(uint32_t n)
{
	static const char *const endings[] = {"th", "st", "nd", "rd"};
	bool is_teen = n % 100 >= 11 && n % 100 <= 13;

	return endings[is_teen || n % 10 > 3 ? 0 : n % 10];
}

struct move {
	const struct report *report;
	const struct region_analysis *region;
	const struct comparison_row *row;
	struct table *table;
};

static void set_move(const struct move *move, size_t model, size_t column)
{
	const struct profile_group *group = move->row->group;
	const struct comparison_rank *rank = &move->row->ranks[model];
	struct cycle_sum sum = cycle_sum_of_group(&move->region->estimates[model], group);

	table_set_cell(move->table, column + MOVE_RANK, "%s%s", units_count(rank->rank).text,
		       ordinal_ending(rank->rank));
	if (group->executions > 0)
		qualifier_set_cell(move->report, move->table, column + MOVE_EACH, qualifier_of_cycle_sum(sum),
				   units_cycles_each(rank->mcyc, group->executions).text);
	table_set_cell(move->table, column + MOVE_SHARE, "%s", units_share(rank->share_ppm, 1000000).text);
	table_set_cell(move->table, column + MOVE_MODEL, "%s", model_name(move->report->models[model]));
}

/* Returns "; MODEL ~ ROW" or "; MODEL = ROW" if another ROW of the model's table gives a form's cost, else "". The
 * caller frees the result. */
static char *via_label(const struct move *move, size_t model)
{
	const struct profile_group *group = move->row->group;
	const struct cost *cost = &move->region->estimates[model].costs[group->forms[0].form];
	char *via = qualifier_via(move->report, model, cost, group->name);
	char *label = *via ? xasprintf("; %s%s", model_name(move->report->models[model]), via) : xstrdup("");

	free(via);
	return label;
}

static void set_row_label(const struct move *move, enum profile_group_by by)
{
	const char *name = move->row->group->name;

	if (by == GROUP_BY_FORM) {
		char *low = via_label(move, move->row->low), *high = via_label(move, move->row->high);

		table_set_label(move->table, "%s%s%s", name, low, high);
		free(low);
		free(high);
	} else if (profile_group_by_is_source(by)) {
		char *label = label_group(move->report, by, move->row->group);

		table_set_label(move->table, "%s", label);
		free(label);
	} else {
		table_set_label(move->table, "%s", name);
	}
}

static void write_moves(const struct report *report, const struct region_analysis *region,
			const struct comparison *comparison)
{
	static const char *const headings[N_MOVE] = {"rank", "each", "share", "on", "rank", "each", "share", "on"};
	size_t n_moves = 0, n_shown;
	struct table table;

	while (n_moves < comparison->groups.n_groups && comparison->rows[n_moves].moved_ppm > 0)
		n_moves++;
	n_shown = label_n_shown(report, n_moves);
	fputc('\n', report->out);
	if (n_moves == 0) {
		sentence_write(
			report,
			"no %s changes both its rank and its share of the cycles (by 0.1%% or more) between models",
			label_noun(comparison->by));
		return;
	}
	table_init(&table, N_MOVE);
	table_add_heading(&table, label_noun(comparison->by), headings);
	table_set_optional(&table, MOVE_EACH, headings[MOVE_EACH]);
	table_set_optional(&table, N_SIDE + MOVE_EACH, NULL);
	table_set_optional(&table, MOVE_SHARE, headings[MOVE_SHARE]);
	table_set_optional(&table, N_SIDE + MOVE_SHARE, NULL);
	for (size_t i = 0; i < n_shown; i++) {
		const struct move move = {report, region, &comparison->rows[i], &table};

		table_add_row(&table);
		set_move(&move, move.row->low, 0);
		set_move(&move, move.row->high, N_SIDE);
		set_row_label(&move, comparison->by);
	}
	table_end(&table, report->out, report->options->width, report->options->color);
	if (n_shown < n_moves)
		sentence_write(report, "%s more change%s rank (--top 0 for all)", units_count(n_moves - n_shown).text,
			       n_moves - n_shown == 1 ? "s" : "");
}

static void write_region(const struct report *report, const struct region_analysis *region)
{
	sentence_write_headline(report, region);
	if (analysis_has_cost(region)) {
		fputc('\n', report->out);
		write_totals(report, region);
		for (size_t i = 0; i < report->analysis->request.n_by && report->n_models > 1; i++)
			write_moves(report, region, &region->comparisons[i]);
		fputc('\n', report->out);
		sentence_write_coverage(report, region, COST_FALLBACK);
		sentence_write_coverage(report, region, COST_UNKNOWN);
		sentence_write_library(report, region);
	}
	fputc('\n', report->out);
}

void text_write_comparison(const struct report *report)
{
	for (size_t i = 0; i < report->analysis->n_regions; i++)
		write_region(report, &report->analysis->regions[i]);
	if (report->analysis->n_regions == 0)
		sentence_write(report, "no region was reached");
	else if (report->n_models > 1)
		sentence_write(report,
			       "each row: first the model on which it ranks lower, then the one on which it ranks "
			       "higher, each with the cycles of one execution and the share of all cycles; rows "
			       "whose share changes most come first");
	sentence_write_notes(report);
	qualifiers_write_legend(report);
}
