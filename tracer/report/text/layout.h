/* Lays out text for people: tables of right-aligned columns with a label at the end of each row, and paragraphs.
 *
 * All texts are escaped here, so callers pass the names of a traced program as they are.
 */
#ifndef ITRACE_REPORT_TEXT_LAYOUT_H
#define ITRACE_REPORT_TEXT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A no-break space (U+00A0). Paragraphs show it as a plain space. */
#define LAYOUT_NO_BREAK "\xc2\xa0"

/* No label is cut to fewer columns. */
enum { LAYOUT_LABEL_COLUMNS = 30 };

struct table_row {
	char **cells; /* [n_columns]; NULL: empty */
	char *label;  /* NULL: none */
	size_t depth; /* the label is indented by two spaces for each level */
	bool is_heading;
	size_t highlighted; /* index of the highlighted column, or SIZE_MAX */
};

/* Columns that are left out together when a table is too wide. */
struct table_option {
	char *name;
	bool is_left_out;
};

struct table {
	size_t n_columns;
	struct table_row *rows;
	size_t n_rows, rows_capacity;
	size_t *options_of;	      /* [n_columns] 1 + index in `options`; 0: the column is never left out */
	struct table_option *options; /* in the order in which they are left out */
	size_t n_options, options_capacity;
	size_t label_columns; /* least width of a cut label; table_init() sets LAYOUT_LABEL_COLUMNS */
};

void table_init(struct table *table, size_t n_columns);

/* cells[n_columns]; NULL: an empty cell. Label and cells may be NULL. */
void table_add_heading(struct table *table, const char *label, const char *const *cells);

/* Adds an empty row. The next two functions fill the last row. The result is valid until the next row is added. */
struct table_row *table_add_row(struct table *table);
void table_set_cell(struct table *table, size_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));
void table_set_label(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Allows table_end() to leave out a column. The column of the first call is left out first. A line below the table has
 * the `name` of each missing column. NULL: the column is left out together with the column of the previous call. */
void table_set_optional(struct table *table, size_t column, const char *name);

/* Writes the table and releases it. A column is as wide as its widest cell. Four steps make lines fit `width` (0:
 * unlimited): long labels end with "..." after at least `label_columns` columns, as few optional columns as possible
 * are left out, a number replaces the indentation of a deep label, and each label is on a line above its cells. */
void table_end(struct table *table, FILE *out, unsigned width, bool color);

/* Breaks text between words so that lines fit `width` if possible. Indents the lines after the first. With `color`, the
 * first bold_bytes of the escaped text are bold. */
void paragraph_write(FILE *out, const char *text, unsigned width, size_t bold_bytes, bool color);

#endif
