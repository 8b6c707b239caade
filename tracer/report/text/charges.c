#include <stdlib.h>
#include <string.h>

#include "analysis/charges.h"
#include "base/array.h"
#include "base/escape.h"
#include "base/path.h"
#include "base/units.h"
#include "report/text/cost_cells.h"
#include "report/text/labels.h"

enum { COLUMN_TOTAL, COLUMN_SHARE, COLUMN_FIRST };

/* Libraries with a column of their own. */
#define N_LIBRARIES_SHOWN 4

struct charges_writer {
	const struct report *report;
	const struct section *section;
	struct charges charges;
	char **short_paths;
	struct table table;
	struct cost_cells cells;
	size_t n_shown;	 /* columns of their own: the user's code and libraries */
	bool has_rest;	 /* another one for the other libraries */
	uint64_t *costs; /* [table.n_columns][width] of a line under way, by column; COLUMN_SHARE has none */
};

static uint64_t *costs_of(const struct charges_writer *writer, size_t column)
{
	return writer->costs + column * writer->charges.width;
}

static void add_costs(struct charges_writer *writer, const struct charge_row *row)
{
	const struct charges *charges = &writer->charges;

	cost_add(costs_of(writer, COLUMN_TOTAL), row->total, charges->n_models);
	for (size_t i = 0; i < charges->n_used_columns; i++)
		cost_add(costs_of(writer, COLUMN_FIRST + (i < writer->n_shown ? i : writer->n_shown)),
			 charges_figures(charges, row, charges->columns[i]), charges->n_models);
}

/* What add_costs summed up, as a line of the table. */
static void put_line(struct charges_writer *writer, const char *raw_label)
{
	char *label = escape_text(raw_label, ESCAPE_FOR_TERMINAL);

	table_add_row(&writer->table);
	cost_cells_set(&writer->cells, &writer->table, COLUMN_TOTAL, costs_of(writer, COLUMN_TOTAL));
	cost_cells_set_share(&writer->cells, &writer->table, COLUMN_SHARE, costs_of(writer, COLUMN_TOTAL));
	for (size_t i = COLUMN_FIRST; i < writer->table.n_columns; i++)
		if (cost_cells_has(&writer->cells, costs_of(writer, i)))
			cost_cells_set(&writer->cells, &writer->table, i, costs_of(writer, i));
	memset(writer->costs, 0, writer->table.n_columns * writer->charges.width * sizeof(*writer->costs));
	table_set_label(&writer->table, label);
	free(label);
}

static void add_heading(struct charges_writer *writer)
{
	table_add_row(&writer->table)->is_heading = true;
	table_set_cell(&writer->table, COLUMN_TOTAL, "in all");
	table_set_cell(&writer->table, COLUMN_SHARE, "share");
	table_set_cell(&writer->table, COLUMN_FIRST, "own code");
	for (size_t i = 1; i < writer->n_shown; i++) {
		const char *path = charges_module(&writer->charges, writer->charges.columns[i]);
		char *name = escape_text(path ? path_file_name(path) : "no file", ESCAPE_FOR_TERMINAL);

		table_set_cell(&writer->table, COLUMN_FIRST + i, name);
		free(name);
	}
	if (writer->has_rest)
		table_set_cell(&writer->table, COLUMN_FIRST + writer->n_shown, "others");
	table_set_label(&writer->table, "line");
}

static size_t n_rows_shown(const struct charges_writer *writer, size_t n_rows)
{
	size_t top = writer->report->options->top;

	return top > 0 && top < n_rows ? top : n_rows;
}

static void add_rows(struct charges_writer *writer)
{
	size_t n_rows = writer->charges.n_rows, n_shown = n_rows_shown(writer, n_rows);
	char *label;

	for (size_t i = 0; i < n_shown; i++) {
		label = charges_label(&writer->charges, &writer->charges.rows[i], writer->short_paths);
		add_costs(writer, &writer->charges.rows[i]);
		put_line(writer, label);
		free(label);
	}
	if (n_shown < n_rows) {
		label = xasprintf("%s more (--top 0 for all)", units_count(n_rows - n_shown).text);
		for (size_t i = n_shown; i < n_rows; i++)
			add_costs(writer, &writer->charges.rows[i]);
		put_line(writer, label);
		free(label);
	}
	for (size_t i = 0; i < n_rows; i++)
		add_costs(writer, &writer->charges.rows[i]);
	put_line(writer, "in all");
}

static void write_costs(struct charges_writer *writer)
{
	size_t n_used = writer->charges.n_used_columns;

	writer->has_rest = n_used > 1 + N_LIBRARIES_SHOWN + 1;
	writer->n_shown = writer->has_rest ? 1 + N_LIBRARIES_SHOWN : n_used;
	table_init(&writer->table, COLUMN_FIRST + writer->n_shown + writer->has_rest);
	writer->costs = xcalloc(writer->table.n_columns * writer->charges.width, sizeof(*writer->costs));
	add_heading(writer);
	add_rows(writer);
	table_write(&writer->table, writer->report->out, writer->report->options->width,
		    writer->report->options->color);
	table_deinit(&writer->table);
	free(writer->costs);
}

static void write_syscalls(struct charges_writer *writer)
{
	const struct charges *charges = &writer->charges;
	size_t n_shown = n_rows_shown(writer, charges->n_syscalls);
	uint64_t rest = 0;

	if (!charges->n_syscalls)
		return;
	fputc('\n', writer->report->out);
	table_init(&writer->table, 2);
	table_add_row(&writer->table)->is_heading = true;
	table_set_cell(&writer->table, 0, "count");
	table_set_cell(&writer->table, 1, "system call");
	table_set_label(&writer->table, "line");
	for (size_t i = 0; i < n_shown; i++) {
		const struct charge_syscall *call = &charges->syscalls[i];
		char *raw = charges_label(charges, &charges->rows[call->row], writer->short_paths);
		char *label = escape_text(raw, ESCAPE_FOR_TERMINAL);
		char *name = escape_text(charges->region->syscalls[call->syscall].name, ESCAPE_FOR_TERMINAL);

		table_add_row(&writer->table);
		table_set_cell(&writer->table, 0, units_count(call->count).text);
		table_set_cell(&writer->table, 1, name);
		table_set_label(&writer->table, label);
		free(raw);
		free(label);
		free(name);
	}
	for (size_t i = n_shown; i < charges->n_syscalls; i++)
		rest += charges->syscalls[i].count;
	if (n_shown < charges->n_syscalls) {
		char *label = xasprintf("%s more (--top 0 for all)", units_count(charges->n_syscalls - n_shown).text);

		table_add_row(&writer->table);
		table_set_cell(&writer->table, 0, units_count(rest).text);
		table_set_label(&writer->table, label);
		free(label);
	}
	table_write(&writer->table, writer->report->out, writer->report->options->width,
		    writer->report->options->color);
	table_deinit(&writer->table);
}

void report_write_text_charges(const struct report *report, const struct section *section,
			       bool marks_used[N_TEXT_MARKS])
{
	struct charges_writer writer = {.report = report, .section = section};

	if (!section->region->n_contexts)
		return;
	cost_cells_init(&writer.cells, report, section, marks_used);
	charges_init(&writer.charges, report->profile, section->region_index, section->estimates, report->n_models,
		     report->options);
	writer.short_paths = label_short_paths(report->profile);
	write_costs(&writer);
	write_syscalls(&writer);
	label_short_paths_free(writer.short_paths, report->profile);
	charges_deinit(&writer.charges);
}
