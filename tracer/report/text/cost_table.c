#include "report/text/cost_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/units.h"

/* Rows with at least this share of the cycles are highlighted. */
#define HIGHLIGHT_PERCENT 10

enum { COLUMN_COUNT };

/* With COST_TABLE_RUNS, the first column counts runs. */
static size_t executions_column(const struct cost_table *costs)
{
	return costs->columns & COST_TABLE_RUNS ? COLUMN_COUNT + 1 : COLUMN_COUNT;
}

static size_t each_column(const struct cost_table *costs)
{
	return executions_column(costs) + 1;
}

size_t cost_table_model_column(const struct cost_table *costs, size_t model)
{
	size_t first = each_column(costs) + (costs->columns & COST_TABLE_EACH ? 1 : 0);

	return model == 0 ? first : first + 1 + model; /* after the share */
}

static size_t share_column(const struct cost_table *costs)
{
	return cost_table_model_column(costs, 0) + 1;
}

void cost_table_init(struct cost_table *costs, const struct report *report, const struct region_analysis *region,
		     unsigned columns, size_t n_extra)
{
	*costs = (struct cost_table){.report = report, .region = region, .columns = columns};
	costs->n_columns = share_column(costs) + report->n_models;
	costs->sums = xcalloc(report->n_models, sizeof(*costs->sums));
	table_init(&costs->table, costs->n_columns + n_extra);
	if (columns & COST_TABLE_EACH)
		table_set_optional(&costs->table, each_column(costs), "each");
	table_set_optional(&costs->table, share_column(costs), "share");
	if (columns & COST_TABLE_RUNS)
		table_set_optional(&costs->table, executions_column(costs), "instructions");
}

void cost_table_end(struct cost_table *costs)
{
	const struct report *report = costs->report;

	/* The caller's columns are already optional. A narrow table omits them before the columns of other models. */
	for (size_t i = report->n_models - 1; i > 0; i--)
		table_set_optional(&costs->table, cost_table_model_column(costs, i), model_name(report->models[i]));
	table_end(&costs->table, report->out, report->options->width, report->options->color);
	free(costs->sums);
}

void cost_table_add_heading(struct cost_table *costs, const char *label)
{
	const struct report *report = costs->report;

	table_add_heading(&costs->table, NULL, NULL);
	for (size_t i = 0; i < report->n_models; i++)
		table_set_cell(&costs->table, cost_table_model_column(costs, i), "cycles");
	if (report->n_models > 1) {
		table_add_heading(&costs->table, NULL, NULL);
		for (size_t i = 0; i < report->n_models; i++)
			table_set_cell(&costs->table, cost_table_model_column(costs, i), "%s",
				       model_name(report->models[i]));
	}
	table_set_cell(&costs->table, COLUMN_COUNT, "count");
	if (costs->columns & COST_TABLE_RUNS)
		table_set_cell(&costs->table, executions_column(costs), "instructions");
	if (costs->columns & COST_TABLE_EACH)
		table_set_cell(&costs->table, each_column(costs), "each");
	table_set_cell(&costs->table, share_column(costs), "share");
	table_set_label(&costs->table, "%s", label);
}

static void set_each(struct cost_table *costs, uint64_t count, struct cycle_sum first)
{
	enum qualifier qualifier = qualifier_of_cycle_sum(first);

	if (costs->columns & COST_TABLE_EACH && count > 0)
		qualifier_set_cell(costs->report, &costs->table, each_column(costs),
				   qualifier == QUALIFIER_FALLBACK ? QUALIFIER_NONE : qualifier,
				   units_cycles_each(first.mcyc, count).text);
}

static void set_count(struct cost_table *costs, uint64_t executions, struct cycle_sum first)
{
	table_set_cell(&costs->table, executions_column(costs), "%s", units_count(executions).text);
	if (!(costs->columns & COST_TABLE_RUNS))
		set_each(costs, executions, first);
}

void cost_table_set_runs(struct cost_table *costs, uint64_t runs, struct cycle_sum first)
{
	table_set_cell(&costs->table, COLUMN_COUNT, "%s", units_count(runs).text);
	set_each(costs, runs, first);
}

void cost_table_set_row(struct cost_table *costs, uint64_t executions, const struct cycle_sum *sums)
{
	set_count(costs, executions, sums[0]);
	for (size_t i = 0; i < costs->report->n_models; i++)
		qualifier_set_cell(costs->report, &costs->table, cost_table_model_column(costs, i),
				   qualifier_of_cycle_sum(sums[i]), units_cycles(sums[i].mcyc).text);
}

void cost_table_set_share(struct cost_table *costs, size_t column, struct cycle_sum sum)
{
	uint64_t whole = (uint64_t)costs->region->estimates[0].total_mcyc;

	qualifier_set_cell(costs->report, &costs->table, column,
			   sum.kind == CYCLE_SUM_UNKNOWN ? QUALIFIER_UNKNOWN : QUALIFIER_NONE,
			   units_share((uint64_t)sum.mcyc, whole).text);
}

void cost_table_set_row_share(struct cost_table *costs, struct cycle_sum first)
{
	cost_table_set_share(costs, share_column(costs), first);
}

void cost_table_highlight(struct cost_table *costs, struct cycle_sum first)
{
	mcyc_t whole = costs->region->estimates[0].total_mcyc;

	if (first.mcyc > 0 && first.mcyc >= whole / 100 * HIGHLIGHT_PERCENT)
		costs->table.rows[costs->table.n_rows - 1].highlighted = share_column(costs);
}

void cost_table_add_total(struct cost_table *costs)
{
	const struct estimate *estimates = costs->region->estimates;

	table_add_row(&costs->table);
	set_count(costs, costs->region->executions, cycle_sum_of_region(&estimates[0]));
	for (size_t i = 0; i < costs->report->n_models; i++)
		qualifier_set_cell(costs->report, &costs->table, cost_table_model_column(costs, i),
				   qualifier_of_total(&estimates[i]), units_cycles(estimates[i].total_mcyc).text);
	table_set_label(&costs->table, "total");
}

void cost_cells_init(struct cost_cells *cells, const struct report *report, const struct region_analysis *region)
{
	*cells = (struct cost_cells){report, COST_EXECUTIONS, region->executions};
	if (region->estimates[0].total_mcyc > 0)
		*cells = (struct cost_cells){report, COST_CYCLES, (uint64_t)region->estimates[0].total_mcyc};
}

bool cost_cells_has(const struct cost_cells *cells, const uint64_t *costs)
{
	return costs[cells->shown] > 0 ||
	       (cells->shown == COST_CYCLES && cost_unknown(costs, cells->report->n_models, 0) > 0);
}

static enum qualifier qualifier_of(const struct cost_cells *cells, const uint64_t *costs)
{
	return cells->shown == COST_CYCLES ? qualifier_of_cycle_sum(cost_cycle_sum(costs, cells->report->n_models, 0))
					   : QUALIFIER_NONE;
}

void cost_cells_set(const struct cost_cells *cells, struct table *table, size_t column, const uint64_t *costs)
{
	struct units_text text = cells->shown == COST_CYCLES ? units_cycles((mcyc_t)costs[COST_CYCLES])
							     : units_count(costs[COST_EXECUTIONS]);

	qualifier_set_cell(cells->report, table, column, qualifier_of(cells, costs), text.text);
}

void cost_cells_set_share(const struct cost_cells *cells, struct table *table, size_t column, const uint64_t *costs)
{
	bool is_unknown = qualifier_of(cells, costs) == QUALIFIER_UNKNOWN;

	qualifier_set_cell(cells->report, table, column, is_unknown ? QUALIFIER_UNKNOWN : QUALIFIER_NONE,
			   units_share(costs[cells->shown], cells->whole).text);
}
