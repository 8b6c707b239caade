/* The cells of tables of costs. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_COST_TABLE_H
#define ITRACE_REPORT_TEXT_COST_TABLE_H

#include "report/text/qualifiers.h"

/* Columns that not every table has. */
enum cost_column_bits {
	COST_TABLE_EACH = 1, /* the cost of one execution, or of one run */
	COST_TABLE_RUNS = 2, /* how often the line ran (profile_group.runs) */
};

/* A table of costs on all models. Columns: runs (COST_TABLE_RUNS), executions, cost of one (COST_TABLE_EACH), cycles
 * and share on the first model, cycles on each other model, then the caller's columns. */
struct cost_table {
	const struct report *report;
	const struct region_analysis *region;
	struct table table;
	unsigned columns;	/* COST_TABLE_* bits */
	size_t n_columns;	/* without the caller's columns */
	struct cycle_sum *sums; /* [n_models] scratch memory for the caller */
};

/* columns: COST_TABLE_* bits. n_extra: number of the caller's columns. */
void cost_table_init(struct cost_table *costs, const struct report *report, const struct region_analysis *region,
		     unsigned columns, size_t n_extra);

/* Writes the table and releases it. */
void cost_table_end(struct cost_table *costs);

size_t cost_table_model_column(const struct cost_table *costs, size_t model);

/* Adds the heading row. With several models, adds two: the second has the names of the models. */
void cost_table_add_heading(struct cost_table *costs, const char *label);

/* The functions below fill cells of the last row. sums[n_models], first: sums[0].
 * executions: of instructions. runs: of the whole line, for COST_TABLE_RUNS. */
void cost_table_set_row(struct cost_table *costs, uint64_t executions, const struct cycle_sum *sums);
void cost_table_set_runs(struct cost_table *costs, uint64_t runs, struct cycle_sum first);
void cost_table_set_share(struct cost_table *costs, size_t column, struct cycle_sum sum);
void cost_table_set_row_share(struct cost_table *costs, struct cycle_sum first);

/* Highlights the last row's share if it is large. */
void cost_table_highlight(struct cost_table *costs, struct cycle_sum first);

/* Adds the row with the region's totals. */
void cost_table_add_total(struct cost_table *costs);

/* Cells that show cycles on the first model, or executions if that model has no cost for any of the region. */
struct cost_cells {
	const struct report *report;
	size_t shown;	/* COST_CYCLES or COST_EXECUTIONS */
	uint64_t whole; /* of the region */
};

void cost_cells_init(struct cost_cells *cells, const struct report *report, const struct region_analysis *region);

/* Returns true if a cost row has cycles, or executions without a cost. */
bool cost_cells_has(const struct cost_cells *cells, const uint64_t *costs);

/* Fills a cell of the table's last row with a cost, or with the share of the region's cost. */
void cost_cells_set(const struct cost_cells *cells, struct table *table, size_t column, const uint64_t *costs);
void cost_cells_set_share(const struct cost_cells *cells, struct table *table, size_t column, const uint64_t *costs);

#endif
