#include <stdlib.h>

#include "base/array.h"
#include "base/units.h"
#include "report/text/cost_table.h"
#include "report/text/labels.h"
#include "report/text/tables.h"

enum { COLUMN_CALLS, COLUMN_BYTES, COLUMN_KEPT, COLUMN_COST, COLUMN_SHARE, COLUMN_ALLOCATOR, N_COLUMNS };

static void add_row(const struct cost_cells *cells, struct table *table, const struct charge_memory *row)
{
	table_add_row(table);
	table_set_cell(table, COLUMN_CALLS, "%s", units_count(row->calls).text);
	table_set_cell(table, COLUMN_BYTES, "%s", units_count(row->bytes).text);
	if (row->kept_bytes > 0 || row->kept_calls > 0)
		table_set_cell(table, COLUMN_KEPT, "%s", units_count(row->kept_bytes).text);
	if (cost_cells_has(cells, row->costs)) {
		cost_cells_set(cells, table, COLUMN_COST, row->costs);
		cost_cells_set_share(cells, table, COLUMN_SHARE, row->costs);
	}
}

/* Adds a row with the sum of all allocations from `first` on. */
static void add_rest(const struct cost_cells *cells, struct table *table, const struct charges *charges, size_t first)
{
	struct charge_memory rest = {.costs = xcalloc(charges->width, sizeof(uint64_t))};

	for (size_t i = first; i < charges->n_memory; i++) {
		const struct charge_memory *row = &charges->memory[i];

		rest.calls += row->calls;
		rest.bytes += row->bytes;
		rest.kept_calls += row->kept_calls;
		rest.kept_bytes += row->kept_bytes;
		cost_add(rest.costs, row->costs, cells->report->n_models);
	}
	add_row(cells, table, &rest);
	label_set_more(table, charges->n_memory - first);
	free(rest.costs);
}

void table_write_memory(const struct report *report, const struct region_analysis *region)
{
	const struct charges *charges = &region->charges;
	size_t n_shown = label_n_shown(report, charges->n_memory);
	struct cost_cells cells;
	struct table table;

	cost_cells_init(&cells, report, region);
	if (!region->costed.region->n_allocations) {
		fputs("  no memory was allocated or freed\n", report->out);
		return;
	}
	table_init(&table, N_COLUMNS);
	table_add_heading(&table, "line",
			  (const char *const[N_COLUMNS]){"calls", "bytes", "not freed",
							 cells.shown == COST_EXECUTIONS ? "instructions" : "cycles",
							 "share", "by"});
	table_set_optional(&table, COLUMN_SHARE, "share");
	table_set_optional(&table, COLUMN_COST, table.rows[0].cells[COLUMN_COST]);
	for (size_t i = 0; i < n_shown; i++) {
		const struct charge_memory *row = &charges->memory[i];
		char *label = label_charge(report, &charges->rows[row->row]);

		add_row(&cells, &table, row);
		table_set_cell(&table, COLUMN_ALLOCATOR, "%s", profile_allocator_name(row->allocator));
		table_set_label(&table, "%s", label);
		free(label);
	}
	if (n_shown < charges->n_memory)
		add_rest(&cells, &table, charges, n_shown);
	table_end(&table, report->out, report->options->width, report->options->color);
}
