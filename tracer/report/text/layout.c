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

/* No label is cut to fewer columns. If less room is left, each label has a line of its own. */
#define LABEL_COLUMNS_MIN 8

void table_init(struct table *table, size_t n_columns)
{
	*table = (struct table){.n_columns = n_columns};
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

static void write_label(FILE *out, const char *label, size_t columns_left)
{
	if (escape_columns(label) <= columns_left) {
		fputs(label, out);
		return;
	}
	write_start(out, label, columns_left - 3);
	fputs("...", out);
}

static size_t cell_columns(const char *cell)
{
	return cell ? escape_columns(cell) : 0;
}

/* Columns that the figures of a table leave for labels beside them; 0: labels are above the figures. */
static size_t label_columns(const struct table *table, const size_t *widths, unsigned width)
{
	size_t used = GAP_COLUMNS;

	if (width == 0)
		return SIZE_MAX;
	for (size_t i = 0; i < table->n_columns; i++)
		used += GAP_COLUMNS + widths[i];
	return width >= used + LABEL_COLUMNS_MIN ? width - used : 0;
}

static bool has_cells(const struct table *table, const struct table_row *row)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (row->cells[i])
			return true;
	return false;
}

static void write_label_above(const struct table *table, const struct table_row *row, FILE *out, unsigned width)
{
	fputs(GAP, out);
	write_label(out, row->label,
		    width >= GAP_COLUMNS + LABEL_COLUMNS_MIN ? width - GAP_COLUMNS : LABEL_COLUMNS_MIN);
	if (has_cells(table, row))
		fputc('\n', out);
}

static void write_row(const struct table *table, const struct table_row *row, const size_t *widths, FILE *out,
		      unsigned width, bool color)
{
	size_t pending = 0, columns_left = label_columns(table, widths, width);

	if (row->is_heading && color)
		fputs(BOLD, out);
	if (row->label && *row->label && columns_left == 0)
		write_label_above(table, row, out, width);
	for (size_t i = 0; i < table->n_columns; i++) {
		const char *cell = row->cells[i];
		bool highlight = color && row->highlighted == i;

		/* Spaces are written only before a cell, so that no line ends with one. */
		pending += GAP_COLUMNS + widths[i] - cell_columns(cell);
		if (!cell)
			continue;
		write_spaces(out, pending);
		pending = 0;
		fprintf(out, "%s%s%s", highlight ? HIGHLIGHT : "", cell, highlight ? RESET : "");
	}
	if (row->label && columns_left > 0) {
		write_spaces(out, pending);
		fputs(GAP, out);
		write_label(out, row->label, columns_left);
	}
	if (row->is_heading && color)
		fputs(RESET, out);
	fputc('\n', out);
}

void table_end(struct table *table, FILE *out, unsigned width, bool color)
{
	size_t *widths = xcalloc(table->n_columns, sizeof(*widths));

	for (size_t i = 0; i < table->n_rows; i++)
		for (size_t k = 0; k < table->n_columns; k++)
			if (cell_columns(table->rows[i].cells[k]) > widths[k])
				widths[k] = cell_columns(table->rows[i].cells[k]);
	for (size_t i = 0; i < table->n_rows; i++)
		write_row(table, &table->rows[i], widths, out, width, color);
	for (size_t i = 0; i < table->n_rows; i++) {
		for (size_t k = 0; k < table->n_columns; k++)
			free(table->rows[i].cells[k]);
		free(table->rows[i].cells);
		free(table->rows[i].label);
	}
	free(table->rows);
	free(widths);
	*table = (struct table){0};
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
