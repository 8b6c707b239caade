#include "report/text/layout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"

#define GAP "  "
#define GAP_COLUMNS 2

/* A label is not cut shorter than this, however narrow the terminal: it has a line of its own then. */
#define LABEL_COLUMNS_MIN 8

void table_init(struct table *table, size_t n_columns)
{
	*table = (struct table){.n_columns = n_columns};
}

void table_deinit(struct table *table)
{
	for (size_t i = 0; i < table->n_rows; i++) {
		for (size_t k = 0; k < table->n_columns; k++)
			free(table->rows[i].cells[k]);
		free(table->rows[i].cells);
		free(table->rows[i].label);
	}
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

void table_set_cell(struct table *table, size_t column, const char *text)
{
	char **cell = &table->rows[table->n_rows - 1].cells[column];

	free(*cell);
	*cell = xstrdup(text);
}

void table_set_label(struct table *table, const char *text)
{
	char **label = &table->rows[table->n_rows - 1].label;

	free(*label);
	*label = xstrdup(text);
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

/* Columns that are left for labels beside the figures of a table; none: they stand above those. */
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
		fputs(LAYOUT_BOLD, out);
	if (row->label && *row->label && columns_left == 0)
		write_label_above(table, row, out, width);
	for (size_t i = 0; i < table->n_columns; i++) {
		const char *cell = row->cells[i];
		bool highlight = color && row->highlighted == i;

		/* Spaces wait until something follows them, so that no line ends in one. */
		pending += GAP_COLUMNS + widths[i] - cell_columns(cell);
		if (!cell)
			continue;
		write_spaces(out, pending);
		pending = 0;
		fprintf(out, "%s%s%s", highlight ? LAYOUT_HIGHLIGHT : "", cell, highlight ? LAYOUT_RESET : "");
	}
	if (row->label && columns_left > 0) {
		write_spaces(out, pending);
		fputs(GAP, out);
		write_label(out, row->label, columns_left);
	}
	if (row->is_heading && color)
		fputs(LAYOUT_RESET, out);
	fputc('\n', out);
}

void table_write(const struct table *table, FILE *out, unsigned width, bool color)
{
	size_t *widths = xcalloc(table->n_columns, sizeof(*widths));

	for (size_t i = 0; i < table->n_rows; i++)
		for (size_t k = 0; k < table->n_columns; k++)
			if (cell_columns(table->rows[i].cells[k]) > widths[k])
				widths[k] = cell_columns(table->rows[i].cells[k]);
	for (size_t i = 0; i < table->n_rows; i++)
		write_row(table, &table->rows[i], widths, out, width, color);
	free(widths);
}

void paragraph_write(FILE *out, const char *text, unsigned width, size_t bold_bytes, bool color)
{
	const char *bold_end = text + bold_bytes;
	size_t column = 0;
	bool is_bold = color && bold_bytes > 0;

	if (is_bold)
		fputs(LAYOUT_BOLD, out);
	for (const char *word = text; *word;) {
		size_t n_bytes = strcspn(word, " ");
		size_t n_columns = 0;

		for (size_t i = 0; i < n_bytes; i++)
			n_columns += ((unsigned char)word[i] & 0xc0) != 0x80;
		if (column > 0 && width > 0 && column + 1 + n_columns > width) {
			fputs("\n" GAP, out);
			column = GAP_COLUMNS;
		} else if (word > text) {
			fputc(' ', out);
			column++;
		}
		for (size_t i = 0; i < n_bytes; i++) {
			if (is_bold && word + i == bold_end) {
				fputs(LAYOUT_RESET, out);
				is_bold = false;
			}
			fputc(word[i] == LAYOUT_NO_BREAK[0] ? ' ' : word[i], out);
		}
		column += n_columns;
		word += n_bytes;
		if (*word)
			word++;
	}
	if (is_bold)
		fputs(LAYOUT_RESET, out);
	fputc('\n', out);
}
