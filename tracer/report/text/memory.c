#include <stdlib.h>

#include "analysis/charges.h"
#include "base/array.h"
#include "base/escape.h"
#include "base/units.h"
#include "report/text/cost_cells.h"
#include "report/text/labels.h"

enum { COLUMN_CALLS, COLUMN_BYTES, COLUMN_KEPT, COLUMN_CYCLES, COLUMN_SHARE, COLUMN_ALLOCATOR, N_COLUMNS };

struct memory_writer {
	const struct report *report;
	struct table table;
	struct cost_cells cells;
};

static void add_row(struct memory_writer *writer, const struct charge_memory *row, const char *allocator,
		    const char *raw_label)
{
	char *label = escape_text(raw_label, ESCAPE_FOR_TERMINAL);

	table_add_row(&writer->table);
	table_set_cell(&writer->table, COLUMN_CALLS, units_count(row->calls).text);
	table_set_cell(&writer->table, COLUMN_BYTES, units_count(row->bytes).text);
	if (row->kept_bytes > 0 || row->kept_calls > 0)
		table_set_cell(&writer->table, COLUMN_KEPT, units_count(row->kept_bytes).text);
	if (cost_cells_has(&writer->cells, row->figures)) {
		cost_cells_set(&writer->cells, &writer->table, COLUMN_CYCLES, row->figures);
		cost_cells_set_share(&writer->cells, &writer->table, COLUMN_SHARE, row->figures);
	}
	if (allocator)
		table_set_cell(&writer->table, COLUMN_ALLOCATOR, allocator);
	table_set_label(&writer->table, label);
	free(label);
}

static void add_heading(struct memory_writer *writer)
{
	static const char *const texts[] = {
		[COLUMN_CALLS] = "calls",   [COLUMN_BYTES] = "bytes", [COLUMN_KEPT] = "not freed",
		[COLUMN_CYCLES] = "cycles", [COLUMN_SHARE] = "share", [COLUMN_ALLOCATOR] = "by",
	};

	table_add_row(&writer->table)->is_heading = true;
	for (size_t i = 0; i < N_COLUMNS; i++)
		table_set_cell(&writer->table, i, texts[i]);
	if (writer->cells.shown == COST_EXECUTIONS)
		table_set_cell(&writer->table, COLUMN_CYCLES, "instructions");
	table_set_label(&writer->table, "line");
}

static void add_rows(struct memory_writer *writer, const struct charges *charges)
{
	size_t top = writer->report->options->top, n_rows = charges->n_memory;
	size_t n_shown = top > 0 && top < n_rows ? top : n_rows;
	char **short_paths = label_short_paths(writer->report->profile);
	struct charge_memory rest = {.figures = xcalloc(charges->width, sizeof(uint64_t))};
	char *label;

	for (size_t i = 0; i < n_shown; i++) {
		const struct charge_memory *row = &charges->memory[i];

		label = charges_label(charges, &charges->rows[row->row], short_paths);
		add_row(writer, row, profile_allocator_name(row->allocator), label);
		free(label);
	}
	for (size_t i = n_shown; i < n_rows; i++) {
		const struct charge_memory *row = &charges->memory[i];

		rest.calls += row->calls;
		rest.bytes += row->bytes;
		rest.kept_calls += row->kept_calls;
		rest.kept_bytes += row->kept_bytes;
		cost_add(rest.figures, row->figures, charges->n_models);
	}
	if (n_shown < n_rows) {
		label = xasprintf("%s more (--top 0 for all)", units_count(n_rows - n_shown).text);
		add_row(writer, &rest, NULL, label);
		free(label);
	}
	free(rest.figures);
	label_short_paths_free(short_paths, writer->report->profile);
}

void report_write_text_memory(const struct report *report, const struct section *section, bool marks_used[N_TEXT_MARKS])
{
	struct memory_writer writer = {.report = report};
	struct charges charges;

	cost_cells_init(&writer.cells, report, section, marks_used);
	if (!section->region->n_allocations) {
		fputs("  no memory was asked for or given back\n", report->out);
		return;
	}
	charges_init(&charges, report->profile, section->region_index, section->estimates, report->n_models,
		     report->options);
	table_init(&writer.table, N_COLUMNS);
	add_heading(&writer);
	add_rows(&writer, &charges);
	table_write(&writer.table, report->out, report->options->width, report->options->color);
	table_deinit(&writer.table);
	charges_deinit(&charges);
}
