#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "base/units.h"
#include "report/text/cost_table.h"
#include "report/text/labels.h"
#include "report/text/tables.h"

enum { COLUMN_TOTAL, COLUMN_SHARE, COLUMN_FIRST };

/* Number of libraries with a separate column. */
#define N_LIBRARIES_SHOWN 4

struct charges_writer {
	const struct report *report;
	const struct charges *charges;
	struct table table;
	struct cost_cells cells;
	size_t n_shown;	 /* columns for the user's code and for single libraries */
	bool has_rest;	 /* has one column for all other libraries */
	uint64_t *costs; /* [table.n_columns] costs of the current row, by column; zero for COLUMN_SHARE */
};

static uint64_t *costs_of(const struct charges_writer *writer, size_t column)
{
	return writer->costs + column * writer->charges->width;
}

/* Adds the costs of rows to the current row. */
static void add_costs(struct charges_writer *writer, size_t first, size_t end)
{
	const struct charges *charges = writer->charges;
	size_t n_models = writer->report->n_models;

	for (size_t i = first; i < end; i++) {
		cost_add(costs_of(writer, COLUMN_TOTAL), charges->rows[i].total, n_models);
		for (size_t k = 0; k < charges->n_used_columns; k++)
			cost_add(costs_of(writer, COLUMN_FIRST + (k < writer->n_shown ? k : writer->n_shown)),
				 charges_costs(charges, &charges->rows[i], charges->columns[k]), n_models);
	}
}

/* Adds the current row to the table, without a label, and clears it. */
static void add_row(struct charges_writer *writer)
{
	table_add_row(&writer->table);
	cost_cells_set(&writer->cells, &writer->table, COLUMN_TOTAL, costs_of(writer, COLUMN_TOTAL));
	cost_cells_set_share(&writer->cells, &writer->table, COLUMN_SHARE, costs_of(writer, COLUMN_TOTAL));
	for (size_t i = COLUMN_FIRST; i < writer->table.n_columns; i++)
		if (cost_cells_has(&writer->cells, costs_of(writer, i)))
			cost_cells_set(&writer->cells, &writer->table, i, costs_of(writer, i));
	memset(writer->costs, 0, writer->table.n_columns * writer->charges->width * sizeof(*writer->costs));
}

static void add_heading(struct charges_writer *writer)
{
	table_add_heading(&writer->table, "line", NULL);
	table_set_cell(&writer->table, COLUMN_TOTAL, "total");
	table_set_cell(&writer->table, COLUMN_SHARE, "share");
	table_set_cell(&writer->table, COLUMN_FIRST, "own code");
	for (size_t i = 1; i < writer->n_shown; i++) {
		const char *path = charges_module(writer->charges, writer->charges->columns[i]);

		table_set_cell(&writer->table, COLUMN_FIRST + i, "%s", path ? path_file_name(path) : "no file");
	}
	if (writer->has_rest)
		table_set_cell(&writer->table, COLUMN_FIRST + writer->n_shown, "others");
}

static void set_line_label(struct charges_writer *writer, uint32_t row)
{
	char *label = label_charge(writer->report, &writer->charges->rows[row]);

	table_set_label(&writer->table, "%s", label);
	free(label);
}

static void write_costs(struct charges_writer *writer)
{
	size_t n_used = writer->charges->n_used_columns, n_rows = writer->charges->n_rows;
	size_t n_shown = label_n_shown(writer->report, n_rows);

	writer->has_rest = n_used > 1 + N_LIBRARIES_SHOWN + 1;
	writer->n_shown = writer->has_rest ? 1 + N_LIBRARIES_SHOWN : n_used;
	table_init(&writer->table, COLUMN_FIRST + writer->n_shown + writer->has_rest);
	writer->costs = xcalloc(writer->table.n_columns * writer->charges->width, sizeof(*writer->costs));
	add_heading(writer);
	for (size_t i = writer->table.n_columns - 1; i >= COLUMN_FIRST; i--)
		table_set_optional(&writer->table, i, writer->table.rows[0].cells[i]);
	for (uint32_t i = 0; i < n_shown; i++) {
		add_costs(writer, i, i + 1);
		add_row(writer);
		set_line_label(writer, i);
	}
	if (n_shown < n_rows) {
		add_costs(writer, n_shown, n_rows);
		add_row(writer);
		label_set_more(&writer->table, n_rows - n_shown);
	}
	add_costs(writer, 0, n_rows);
	add_row(writer);
	table_set_label(&writer->table, "total");
	free(writer->costs);
}

static void write_syscalls(struct charges_writer *writer)
{
	static const char *const headings[] = {"count", "system call"};
	const struct charges *charges = writer->charges;
	size_t n_shown = label_n_shown(writer->report, charges->n_syscalls);
	uint64_t rest = 0;

	table_init(&writer->table, ARRAY_LENGTH(headings));
	table_add_heading(&writer->table, "line", headings);
	for (size_t i = 0; i < n_shown; i++) {
		const struct charge_syscall *call = &charges->syscalls[i];

		table_add_row(&writer->table);
		table_set_cell(&writer->table, 0, "%s", units_count(call->count).text);
		table_set_cell(&writer->table, 1, "%s", charges->costed.region->syscalls[call->syscall].name);
		set_line_label(writer, call->row);
	}
	for (size_t i = n_shown; i < charges->n_syscalls; i++)
		rest += charges->syscalls[i].count;
	if (n_shown < charges->n_syscalls) {
		table_add_row(&writer->table);
		table_set_cell(&writer->table, 0, "%s", units_count(rest).text);
		label_set_more(&writer->table, charges->n_syscalls - n_shown);
	}
}

void table_write_charges(const struct report *report, const struct region_analysis *region)
{
	struct charges_writer writer = {.report = report, .charges = &region->charges};
	const struct report_options *options = report->options;

	if (!region->costed.region->n_contexts)
		return;
	cost_cells_init(&writer.cells, report, region);
	write_costs(&writer);
	table_end(&writer.table, report->out, options->width, options->color);
	if (!region->charges.n_syscalls)
		return;
	fputc('\n', report->out);
	write_syscalls(&writer);
	table_end(&writer.table, report->out, options->width, options->color);
}
