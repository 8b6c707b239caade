#include "report/text/layout.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"

#define BOLD "\033[1m"
#define HIGHLIGHT "\033[1;33m"
#define RESET "\033[0m"

#define GAP "  "
#define GAP_COLUMNS 2

/* Columns for "17: ", the depth of a label that replaces an indentation. */
#define DEPTH_COLUMNS 5

void table_init(struct table *table, size_t n_columns)
{
	*table = (struct table){.n_columns = n_columns, .label_columns = LAYOUT_LABEL_COLUMNS};
	table->options_of = xcalloc(n_columns, sizeof(*table->options_of));
}

static void table_deinit(struct table *table)
{
	for (size_t i = 0; i < table->n_rows; i++) {
		for (size_t k = 0; k < table->n_columns; k++)
			free(table->rows[i].cells[k]);
		free(table->rows[i].cells);
		free(table->rows[i].label);
	}
	for (size_t i = 0; i < table->n_options; i++)
		free(table->options[i].name);
	free(table->options);
	free(table->options_of);
	free(table->rows);
	*table = (struct table){0};
}

struct table_row *table_add_row(struct table *table)
{
	struct table_row *row = ARRAY_ADD(table, rows);

	row->cells = xcalloc(table->n_columns, sizeof(*row->cells));
	row->highlighted = SIZE_MAX;
	return row;
}

void table_add_heading(struct table *table, const char *label, const char *const *cells)
{
	table_add_row(table)->is_heading = true;
	if (label)
		table_set_label(table, "%s", label);
	for (size_t i = 0; cells && i < table->n_columns; i++)
		if (cells[i])
			table_set_cell(table, i, "%s", cells[i]);
}

static void set_text(char **text, const char *format, va_list args)
{
	char *raw = NULL;

	if (vasprintf(&raw, format, args) < 0)
		abort();
	free(*text);
	*text = escape_text(raw, ESCAPE_FOR_TERMINAL);
	free(raw);
}

void table_set_cell(struct table *table, size_t column, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_text(&table->rows[table->n_rows - 1].cells[column], format, args);
	va_end(args);
}

void table_set_label(struct table *table, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_text(&table->rows[table->n_rows - 1].label, format, args);
	va_end(args);
}

void table_set_optional(struct table *table, size_t column, const char *name)
{
	if (name)
		*ARRAY_ADD(table, options) = (struct table_option){.name = xstrdup(name)};
	table->options_of[column] = table->n_options;
}

/* The layout of a table that fits a width. */
struct layout {
	struct table *table;
	FILE *out;
	unsigned width; /* 0: unlimited */
	bool color;
	size_t *widths;	      /* [n_columns] */
	size_t label_columns; /* room for labels beside the figures; 0: labels are above them */
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t cell_columns(const char *cell)
{
	return cell ? escape_count_columns(cell) : 0;
}

static bool is_shown(const struct table *table, size_t column)
{
	size_t option = table->options_of[column];

	return option == 0 || !table->options[option - 1].is_left_out;
}

/* Returns the columns of a row's label if it is cut as far as allowed. */
static size_t label_columns_needed(const struct table *table, const struct table_row *row, bool is_indented)
{
	size_t indent = is_indented ? 2 * row->depth : least(2 * row->depth, DEPTH_COLUMNS);

	return row->label && *row->label ? indent + least(escape_count_columns(row->label), table->label_columns) : 0;
}

static size_t labels_need(const struct table *table, bool are_indented)
{
	size_t columns = 0;

	for (size_t i = 0; i < table->n_rows; i++) {
		size_t needed = label_columns_needed(table, &table->rows[i], are_indented);

		columns = needed > columns ? needed : columns;
	}
	return columns;
}

/* Returns the columns that remain beside the figures; negative: the figures do not fit. */
static ssize_t columns_left(const struct layout *layout)
{
	ssize_t left = layout->width;

	for (size_t i = 0; i < layout->table->n_columns; i++)
		if (is_shown(layout->table, i))
			left -= (ssize_t)(GAP_COLUMNS + layout->widths[i]);
	return left;
}

/* Leaves out as few columns as possible, so that `needed` columns remain for labels. */
static void leave_out_columns(const struct layout *layout, size_t needed)
{
	struct table_option *options = layout->table->options;
	ssize_t wanted = needed ? (ssize_t)needed + GAP_COLUMNS : 0;
	size_t n = 0;

	for (size_t i = 0; i < layout->table->n_options; i++)
		options[i].is_left_out = false;
	while (columns_left(layout) < wanted && n < layout->table->n_options)
		options[n++].is_left_out = true;
	/* The last column that was left out may make room for narrower ones that were left out before. */
	while (n-- > 0) {
		options[n].is_left_out = false;
		options[n].is_left_out = columns_left(layout) < wanted;
	}
}

static void lay_out(struct layout *layout)
{
	const struct table *table = layout->table;

	for (size_t i = 0; i < table->n_rows; i++)
		for (size_t k = 0; k < table->n_columns; k++)
			if (cell_columns(table->rows[i].cells[k]) > layout->widths[k])
				layout->widths[k] = cell_columns(table->rows[i].cells[k]);
	layout->label_columns = SIZE_MAX;
	if (layout->width == 0)
		return;
	leave_out_columns(layout, labels_need(table, true));
	if (columns_left(layout) >= (ssize_t)(labels_need(table, false) + GAP_COLUMNS)) {
		layout->label_columns = (size_t)columns_left(layout) - GAP_COLUMNS;
		return;
	}
	layout->label_columns = 0;
	leave_out_columns(layout, 0);
}

static void write_spaces(FILE *out, size_t n)
{
	fprintf(out, "%*s", (int)n, "");
}

/* The first `columns` characters of text. */
static void write_start(FILE *out, const char *text, size_t columns)
{
	const char *end = text;

	for (; *end; end++)
		if (((unsigned char)*end & 0xc0) != 0x80 && columns-- == 0)
			break;
	fwrite(text, 1, (size_t)(end - text), out);
}

static void write_label(const struct layout *layout, const struct table_row *row, size_t columns)
{
	size_t indent = 2 * row->depth, needed = label_columns_needed(layout->table, row, true);
	char depth[24] = "";

	if (needed > columns) {
		snprintf(depth, sizeof(depth), "%zu: ", row->depth);
		indent = columns > needed - indent ? columns - (needed - indent) : strlen(depth);
	}
	fprintf(layout->out, "%*s", (int)indent, depth);
	columns = columns > indent ? columns - indent : 0;
	if (escape_count_columns(row->label) <= columns) {
		fputs(row->label, layout->out);
		return;
	}
	write_start(layout->out, row->label, columns > strlen("...") ? columns - strlen("...") : 0);
	fputs("...", layout->out);
}

static bool has_cells(const struct table *table, const struct table_row *row)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (row->cells[i] && is_shown(table, i))
			return true;
	return false;
}

static void write_label_above(const struct layout *layout, const struct table_row *row)
{
	fputs(GAP, layout->out);
	write_label(layout, row,
		    layout->width > LAYOUT_LABEL_COLUMNS ? layout->width - GAP_COLUMNS : LAYOUT_LABEL_COLUMNS);
	if (has_cells(layout->table, row))
		fputc('\n', layout->out);
}

static void write_row(const struct layout *layout, const struct table_row *row)
{
	const struct table *table = layout->table;
	bool has_label = row->label && *row->label;
	size_t pending = 0;

	fputs(row->is_heading && layout->color ? BOLD : "", layout->out);
	if (has_label && layout->label_columns == 0)
		write_label_above(layout, row);
	for (size_t i = 0; i < table->n_columns; i++) {
		const char *cell = row->cells[i];
		bool highlight = layout->color && row->highlighted == i;

		if (!is_shown(table, i))
			continue;
		/* Spaces are written only before a cell, so that no line ends with one. */
		pending += GAP_COLUMNS + layout->widths[i] - cell_columns(cell);
		if (!cell)
			continue;
		write_spaces(layout->out, pending);
		pending = 0;
		fprintf(layout->out, "%s%s%s", highlight ? HIGHLIGHT : "", cell, highlight ? RESET : "");
	}
	if (has_label && layout->label_columns > 0) {
		write_spaces(layout->out, pending + GAP_COLUMNS);
		write_label(layout, row, layout->label_columns);
	}
	fputs(row->is_heading && layout->color ? RESET : "", layout->out);
	fputc('\n', layout->out);
}

static void write_left_out(const struct layout *layout)
{
	const struct table *table = layout->table;
	char *text = NULL;
	size_t n_bytes = 0, n = 0;
	FILE *out = open_memstream(&text, &n_bytes);

	if (!out)
		abort();
	for (size_t i = 0; i < table->n_options; i++)
		if (table->options[i].is_left_out)
			fprintf(out, "%s%s", n++ ? ", " : "(not shown in this width: ", table->options[i].name);
	fputs(n ? ")" : "", out);
	fclose(out);
	if (n)
		paragraph_write(layout->out, text, layout->width, 0, layout->color);
	free(text);
}

void table_end(struct table *table, FILE *out, unsigned width, bool color)
{
	struct layout layout = {.table = table, .out = out, .width = width, .color = color};

	layout.widths = xcalloc(table->n_columns, sizeof(*layout.widths));
	lay_out(&layout);
	for (size_t i = 0; i < table->n_rows; i++)
		write_row(&layout, &table->rows[i]);
	write_left_out(&layout);
	free(layout.widths);
	table_deinit(table);
}

void paragraph_write(FILE *out, const char *text, unsigned width, size_t bold_bytes, bool color)
{
	char *escaped = escape_text(text, ESCAPE_FOR_TERMINAL);
	const char *at = escaped, *bold_end = color && bold_bytes > 0 ? escaped + bold_bytes : NULL;
	size_t column = 0;

	fputs(bold_end ? BOLD : "", out);
	while (*at) {
		const char *end = at + strcspn(at, " ");
		size_t n_columns = 0;

		for (const char *c = at; c < end; c++)
			n_columns += ((unsigned char)*c & 0xc0) != 0x80;
		if (column > 0 && width > 0 && column + 1 + n_columns > width) {
			fputs("\n" GAP, out);
			column = GAP_COLUMNS;
		} else if (at > escaped) {
			fputc(' ', out);
			column++;
		}
		column += n_columns;
		while (at < end) {
			bool is_space = strncmp(at, LAYOUT_NO_BREAK, strlen(LAYOUT_NO_BREAK)) == 0;

			if (at == bold_end)
				fputs(RESET, out);
			fputc(is_space ? ' ' : *at, out);
			at += is_space ? strlen(LAYOUT_NO_BREAK) : 1;
		}
		at += *at == ' ';
	}
	if (bold_end >= at)
		fputs(RESET, out);
	fputc('\n', out);
	free(escaped);
}
