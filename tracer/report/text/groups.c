#include <stdlib.h>

#include "base/array.h"
#include "base/units.h"
#include "report/text/cost_table.h"
#include "report/text/labels.h"
#include "report/text/tables.h"

static void set_inclusive(struct cost_table *costs, const struct profile_group *group)
{
	const uint64_t *row = inclusive_of(&costs->region->inclusive, group);
	struct cycle_sum sum = cost_cycle_sum(row, costs->report->n_models, 0);

	qualifier_set_cell(costs->report, &costs->table, costs->n_columns, qualifier_of_cycle_sum(sum),
			   units_cycles(sum.mcyc).text);
	cost_table_set_share(costs, costs->n_columns + 1, sum);
}

static void set_form_label(struct cost_table *costs, const struct profile_group *group)
{
	const struct cost *cost = &costs->region->estimates[0].costs[group->forms[0].form];
	char *via = qualifier_via(costs->report, 0, cost, group->name);

	if (group->iterations > 0)
		table_set_label(&costs->table, "%s%s (%s iteration%s)", group->name, via,
				units_count(group->iterations).text, group->iterations == 1 ? "" : "s");
	else
		table_set_label(&costs->table, "%s%s", group->name, via);
	free(via);
}

static void set_label(struct cost_table *costs, const struct profile_group *group)
{
	enum profile_group_by by = costs->report->options->by;
	char *label;

	if (by == GROUP_BY_FORM) {
		set_form_label(costs, group);
		return;
	}
	label = label_group(costs->report, by, group);
	table_set_label(&costs->table, "%s", label);
	free(label);
}

static void add_group(struct cost_table *costs, const struct profile_group *group, bool has_inclusive)
{
	for (size_t i = 0; i < costs->report->n_models; i++)
		costs->sums[i] = cycle_sum_of_group(&costs->region->estimates[i], group);
	table_add_row(&costs->table);
	cost_table_set_row(costs, group->executions, costs->sums);
	if (costs->columns & COST_TABLE_RUNS)
		cost_table_set_runs(costs, group->runs, costs->sums[0]);
	cost_table_set_row_share(costs, costs->sums[0]);
	cost_table_highlight(costs, costs->sums[0]);
	if (has_inclusive)
		set_inclusive(costs, group);
	set_label(costs, group);
}

/* Adds a row with the sum of all groups from `first` on. */
static void add_rest(struct cost_table *costs, const struct ranking *ranking, size_t first)
{
	uint64_t executions = 0;

	for (size_t i = first; i < ranking->groups.n_groups; i++) {
		const struct profile_group *group = ranking->rows[i].group;

		executions += group->executions;
		for (size_t k = 0; k < costs->report->n_models; k++) {
			struct cycle_sum sum = cycle_sum_of_group(&costs->region->estimates[k], group);

			costs->sums[k] = i == first ? sum : cycle_sum_add(costs->sums[k], sum);
		}
	}
	table_add_row(&costs->table);
	cost_table_set_row(costs, executions, costs->sums);
	cost_table_set_row_share(costs, costs->sums[0]);
	label_set_more(&costs->table, ranking->groups.n_groups - first);
}

static void add_rows(struct cost_table *costs, bool has_inclusive)
{
	const struct ranking *ranking = analysis_ranking(costs->report->analysis, costs->region);
	size_t n_rows = ranking->groups.n_groups, n_shown = label_n_shown(costs->report, n_rows);

	for (size_t i = 0; i < n_shown; i++)
		add_group(costs, ranking->rows[i].group, has_inclusive);
	if (n_shown < n_rows)
		add_rest(costs, ranking, n_shown);
}

static void add_times(struct cost_table *costs)
{
	const struct report *report = costs->report;
	bool has_clock = false;

	for (size_t i = 0; i < report->n_models; i++)
		has_clock |= model_cycle_ps(report->models[i]) > 0;
	if (!has_clock)
		return;
	for (int is_clock = 0; is_clock < 2; is_clock++) {
		table_add_row(&costs->table);
		for (size_t i = 0; i < report->n_models; i++) {
			const struct estimate *estimate = &costs->region->estimates[i];
			uint64_t cycle_ps = model_cycle_ps(report->models[i]);
			size_t column = cost_table_model_column(costs, i);

			if (cycle_ps > 0 && is_clock)
				table_set_cell(&costs->table, column, "%s", units_clock(cycle_ps).text);
			else if (cycle_ps > 0)
				qualifier_set_cell(report, &costs->table, column, qualifier_of_total(estimate),
						   units_duration(estimate->time_ns).text);
		}
		table_set_label(&costs->table, is_clock ? "clock" : "time");
	}
}

static void add_ratios(struct cost_table *costs)
{
	const struct estimate *estimates = costs->region->estimates;

	table_add_row(&costs->table);
	table_set_cell(&costs->table, cost_table_model_column(costs, 0), "1.00x");
	for (size_t i = 1; i < costs->report->n_models; i++)
		qualifier_set_ratio(costs->report, &costs->table, cost_table_model_column(costs, i), &estimates[i],
				    &estimates[0]);
	table_set_label(&costs->table, "ratio to %s", model_name(costs->report->models[0]));
}

/* Returns true if the bound differs from the model's cycles. In-order machines with a table have equal bounds. */
static bool has_bound(const struct model *model, const struct estimate *estimate, enum cost_column column)
{
	if (estimate->pipeline)
		return true;
	if (model_estimator(model) != ESTIMATOR_TABLE)
		return column == COST_LATENCY;
	return model_ranking_column(model) != column && estimate->latency_mcyc != estimate->throughput_mcyc;
}

static void add_bounds(struct cost_table *costs, enum cost_column column, const char *label)
{
	bool has_row = false;

	for (size_t i = 0; i < costs->report->n_models; i++) {
		const struct estimate *estimate = &costs->region->estimates[i];
		mcyc_t bound = column == COST_LATENCY ? estimate->latency_mcyc : estimate->throughput_mcyc;

		if (!has_bound(costs->report->models[i], estimate, column))
			continue;
		if (!has_row)
			table_add_row(&costs->table);
		has_row = true;
		qualifier_set_cell(costs->report, &costs->table, cost_table_model_column(costs, i),
				   qualifier_of_total(estimate), units_cycles(bound).text);
	}
	if (has_row)
		table_set_label(&costs->table, "%s", label);
}

static void add_coverage(struct cost_table *costs, enum cost_match match, const char *label)
{
	bool has_row = false;

	for (size_t i = 0; i < costs->report->n_models; i++) {
		const struct estimate *estimate = &costs->region->estimates[i];
		uint64_t n = match == COST_EXACT      ? estimate->exact
			     : match == COST_FALLBACK ? estimate->fallback
						      : estimate->unknown;

		if (n == 0 && match != COST_EXACT)
			continue;
		if (!has_row)
			table_add_row(&costs->table);
		has_row = true;
		table_set_cell(&costs->table, cost_table_model_column(costs, i), "%s",
			       units_share(n, costs->region->executions).text);
	}
	if (has_row)
		table_set_label(&costs->table, "%s", label);
}

void table_write_groups(const struct report *report, const struct region_analysis *region)
{
	bool has_inclusive = region->inclusive.costs;
	struct cost_table costs;

	cost_table_init(&costs, report, region,
			COST_TABLE_EACH | (profile_group_has_runs(report->options->by) ? COST_TABLE_RUNS : 0),
			has_inclusive ? 2 : 0);
	cost_table_add_heading(&costs, label_noun(report->options->by));
	if (has_inclusive) {
		table_set_cell(&costs.table, costs.n_columns, "with calls");
		table_set_cell(&costs.table, costs.n_columns + 1, "share");
		table_set_optional(&costs.table, costs.n_columns, "with calls");
		table_set_optional(&costs.table, costs.n_columns + 1, NULL);
	}
	add_rows(&costs, has_inclusive);
	cost_table_add_total(&costs);
	table_add_row(&costs.table);
	if (report->n_models > 1) {
		add_times(&costs);
		add_ratios(&costs);
	}
	add_bounds(&costs, COST_LATENCY, "with no overlap");
	add_bounds(&costs, COST_RECIPROCAL_THROUGHPUT, "with full overlap");
	add_coverage(&costs, COST_EXACT, "executions exact");
	add_coverage(&costs, COST_FALLBACK, "~ fallback");
	add_coverage(&costs, COST_UNKNOWN, "? unknown");
	cost_table_end(&costs);
}
